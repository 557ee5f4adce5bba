// SPDX-License-Identifier: BSL-1.0
// expect: serializer: needs part_layout layout
// expect: serializer: needs a string_view name\(\) const
// expect: serializer: needs loaded_structure read_structure\(file_bytes, const std::string& file\) const
// expect: serializer: needs vector<named_tensor> read_features\(file_bytes, const std::string& file\) const
#include <halograph/testing/archetypes.hpp>

#include <vector>

namespace hg = halograph;

struct format {
  std::string_view name() const { return "ours"; }
#ifdef MUST_FAIL
  hg::part_layout layout() const { return {}; }  // a layout is made from a plan
#else
  hg::part_layout layout(const hg::part_description&) const { return {}; }
#endif
  hg::loaded_structure read_structure(const hg::file_bytes&, const std::string&) const {
    return {};
  }
  std::vector<hg::named_tensor> read_features(const hg::file_bytes&, const std::string&) const {
    return {};
  }
};

template <hg::serializer Serializer>
struct writer {};
#ifdef MUST_FAIL
namespace model = halograph::near_miss;
#else
namespace model {
using serializer_without_name = format;
using serializer_without_structure = format;
using serializer_without_features = format;
}  // namespace model
#endif
writer<format> a;
writer<model::serializer_without_name> b;
writer<model::serializer_without_structure> c;
writer<model::serializer_without_features> d;
