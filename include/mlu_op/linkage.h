/* What stands around the declarations of every header: functions are C's, also for a C++ program, and visible, also
 * where a program hides its own symbols (-fvisibility=hidden). */
#ifndef DETOPS_MLU_OP_LINKAGE_H_
#define DETOPS_MLU_OP_LINKAGE_H_

#if defined(__GNUC__)
#define DETOPS_PUSH_VISIBLE _Pragma("GCC visibility push(default)")
#define DETOPS_POP_VISIBLE _Pragma("GCC visibility pop")
#else
#define DETOPS_PUSH_VISIBLE
#define DETOPS_POP_VISIBLE
#endif

#ifdef __cplusplus
#define DETOPS_C_BEGIN DETOPS_PUSH_VISIBLE extern "C" {
#define DETOPS_C_END \
  }                  \
  DETOPS_POP_VISIBLE
#else
#define DETOPS_C_BEGIN DETOPS_PUSH_VISIBLE
#define DETOPS_C_END DETOPS_POP_VISIBLE
#endif

#endif /* DETOPS_MLU_OP_LINKAGE_H_ */
