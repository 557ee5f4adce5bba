// SPDX-License-Identifier: BSL-1.0
// expect: partition_target: needs format\(\) const, returning a serializer
// expect: partition_target: needs begin\(\) const, whose result has create\(name, bytes\) -> byte_sink and commit\(std::string_view command\)
#include <halograph/folder/targets.hpp>

struct bucket : halograph::native_folder {
#ifdef MUST_FAIL
  int begin() const { return 0; }
#endif
};
struct bin : halograph::native_folder {
#ifdef MUST_FAIL
  const char* format() const { return "native"; }
#endif
};

template <halograph::partition_target Target>
struct writer {};
writer<bucket> a;
writer<bin> b;
