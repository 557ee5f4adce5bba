// SPDX-License-Identifier: BSL-1.0
// expect: serializer: needs part_layout layout
#include <halograph/serial/serializer.hpp>

#include <vector>

struct format {
  std::string_view name() const { return "ours"; }
#ifdef MUST_FAIL
  halograph::part_layout layout() const { return {}; }  // a layout is made from a plan
#else
  halograph::part_layout layout(const halograph::part_plan&) const { return {}; }
#endif
  halograph::loaded_structure read_structure(const halograph::file_bytes&, const std::string&) const { return {}; }
  std::vector<halograph::named_tensor> read_features(const halograph::file_bytes&, const std::string&) const { return {}; }
};

template <halograph::serializer Serializer>
struct writer {};
writer<format> answer;
