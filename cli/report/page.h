// The report's page as the build has put it together from the files in page/: everything before and everything after
// the run's JSON.
#ifndef DETOPS_CLI_REPORT_PAGE_H_
#define DETOPS_CLI_REPORT_PAGE_H_

#include <string_view>

namespace detops_cli {

extern const std::string_view kPageBeforeRun;
extern const std::string_view kPageAfterRun;

}  // namespace detops_cli

#endif  // DETOPS_CLI_REPORT_PAGE_H_
