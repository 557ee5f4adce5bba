// SPDX-License-Identifier: BSL-1.0
// Names that clash with those of std and POSIX, for public_names.sh to find.
namespace halograph {

enum class errc { ok };
template <class T>
struct hash {};
class signal;
inline constexpr int sleep = 0;
using truncate = int;

}  // namespace halograph
