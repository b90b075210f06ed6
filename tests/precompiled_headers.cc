// Nothing: the headers that most tests share are compiled once for this file (CMakeLists.txt).
