/* Recording of calls as case files. Part of mlu_op.h.
 *
 * While it is on, every call of an operator of mlu_op/ is written to a file of its own: the tensors, the arguments and,
 * if asked for, the values, as text in the protobuf form of MLU-OPS's test cases (message Node). A bug met in a large
 * program becomes a file that can be run again. Calls that are refused leave no file. Functions of detops.h are not
 * recorded: the form has no fields for them.
 *
 * The file is <directory>/gen_case/<operator>/<operator>_<date-time>_<pid>_<number>.prototxt; folders are made as
 * needed, the time is UTC. It is there before the call computes, so that a crash leaves it behind, and it is complete
 * whenever it is there. A file that cannot be written changes neither the result nor the status of a call; a line to
 * the handle's log (detopsSetLog) says so.
 *
 * Environment variables, read once, when the library first needs them. A program that runs with rights its user has not
 * (setuid and the like) obeys none of them:
 *   MLUOP_GEN_CASE                   the mode, see mluOpSetGenCaseMode; other values count as 0
 *   MLUOP_GEN_CASE_DIR               the directory, see mluOpSetGenCaseDirectory
 *   MLUOP_GEN_CASE_OP_NAME           "a;b": only these operators; "-a;-b": all but these; "all" or not set: all
 *   MLUOP_GEN_CASE_DUMP_DATA         mode 2, inputs: 0 (default) exact values of boxes, points and indices, which
 *                                    cannot be random, and random_data for features, gradients and filters;
 *                                    1 all values as decimal numbers; 2 all values, floating ones hexadecimal
 *   MLUOP_GEN_CASE_DUMP_DATA_OUTPUT  mode 2, outputs: 0 (default) no values; 1 and 2 as above. They are added
 *                                    to the file once the call has succeeded.
 *   MLUOP_GEN_CASE_DUMP_DATA_FILE    mode 2: 1 puts those values into files of raw bytes beside the case file,
 *                                    which then names them (path)
 *
 * The forms of values. random_data is uniform between the smallest and the largest finite value of the tensor.
 * Decimal: value_f for float, half and bfloat16, the shortest text that reads back to the same bits, or nan, inf, -inf;
 * value_i and value_l for integers; doubles are written as hexadecimal digits, for value_f is only a float.
 * Hexadecimal: value_h, one string per element, the element's bits as one number in lower case without prefix and
 * without leading zeros ("3f800000" is 1.0f); integers stay value_i and value_l, as MLU-OPS writes and reads them.
 *
 * All functions may be called by several threads at the same time; calls that have started keep what was set before. */
#ifndef DETOPS_MLU_OP_GEN_CASE_H_
#define DETOPS_MLU_OP_GEN_CASE_H_

#include <stddef.h>

#include "linkage.h"
#include "types.h"

DETOPS_C_BEGIN

/** Sets the mode for the whole process, whatever MLUOP_GEN_CASE says: 0 off; 1 files without values; 2 files with
 * values (which ones, the variables above say); 3 no files, but one line per call to the handle's log, or to the
 * standard error if the handle has no log. Another number changes nothing. */
void MLUOP_WIN_API mluOpSetGenCaseMode(int mode);

/** Sets the directory for the whole process, whatever MLUOP_GEN_CASE_DIR says. The text is copied; it may hold {pid}
 * and {deviceid}, which become the number of the process and of the device (0) when a file is written. The directory
 * need not exist. BAD_PARAM: path is NULL, empty or longer than 2047 bytes; then the directory stays as it was. */
mluOpStatus_t MLUOP_WIN_API mluOpSetGenCaseDirectory(const char* path);

/** Copies the directory as it was set, with its placeholders, and returns buffer; "." is the current directory, the
 * default. *pathLen becomes the length of the text without the closing zero byte, also if buffer is too small or NULL.
 * *status: SUCCESS; BAD_PARAM if buffer is NULL or bufferSize is not above that length: then NULL is returned and
 * buffer is left as it was. pathLen and status may be NULL. */
const char* MLUOP_WIN_API mluOpGetGenCaseDirectory(char* buffer, size_t bufferSize, size_t* pathLen,
                                                   mluOpStatus_t* status);

DETOPS_C_END

#endif /* DETOPS_MLU_OP_GEN_CASE_H_ */
