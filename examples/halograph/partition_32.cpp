// SPDX-License-Identifier: BSL-1.0
#include "partition_job.ipp"

namespace halograph::cli {

template answer partition_at<std::uint32_t>(partition_flags, const offered_policies&,
                                            const context&);

}  // namespace halograph::cli
