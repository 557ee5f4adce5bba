// SPDX-License-Identifier: BSL-1.0
// expect: table_reader: needs table_info examine\(const std::string& path\) const
// expect: table_reader: needs read\(path, const table_info&, first, last, sink\) const, sink\(first_row, rows, span<const table_values>\)
// expect: table_writer: needs write\(path, span<const table_column>, const optional<string>& shape, rows, source\) const, source\(first_row, rows, span<const span<byte>>\)
#include <halograph/testing/archetypes.hpp>

namespace hg = halograph;

template <hg::table_reader Tables>
struct reader {};
template <hg::table_writer Tables>
struct writer {};
#ifdef MUST_FAIL
namespace model = halograph::near_miss;
#else
namespace model {
using table_reader_without_examine = hg::archetype::tables;
using table_reader_without_read = hg::archetype::tables;
using table_writer_without_shape = hg::archetype::tables;
}  // namespace model
#endif
reader<model::table_reader_without_examine> a;
reader<model::table_reader_without_read> b;
writer<model::table_writer_without_shape> c;
