# What Doxygen reads of a public header, as C: the first comment is the file's, a list of checks is a numbered list, and
# <name> in a comment is no HTML.
NR == 1 { sub(/^\/\*+/, "/** @file\n *") }
/^#ifdef __cplusplus/, /^#endif/ { next }
/^ \* Checked in this order:/ { checks = 1; print " * <b>Checked in this order:</b>"; next }
/^ \*/ { gsub(/</, "\\&lt;") }
checks && /^ \* [A-Za-z_]+  / {
  match($0, /^ \* [A-Za-z_]+/)
  $0 = " * -# <b>" substr($0, 4, RLENGTH - 3) "</b>" substr($0, RLENGTH + 1)
}
/\*\// { checks = 0 }
{ print }
