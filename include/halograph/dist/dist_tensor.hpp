// SPDX-License-Identifier: BSL-1.0
/// @file dist_tensor.hpp
/// Rows of numbers for each node or edge of a type, spread over the ranks as the graph is: read,
/// written and summed by ID.
/// Layer: dist. Words: README.md.
///
///     hg::dist_tensor x(g, {.shape = {g.num_nodes("user"), 16}, .type = hg::dtype::float32,
///                           .name = "emb"},
///                       hg::uniform{-0.1f, 0.1f});
///     x.add(ids, gradients);  // rows of any rank; sums do not depend on the number of ranks
///
/// dist_graph.hpp explains collective calls. The *global order* of the IDs of one call is by rank,
/// then by position on the rank: a list that is split over the ranks in consecutive pieces keeps
/// its order. The results of write() and add() depend on that order alone: they are the same bytes
/// for any number of ranks.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/random.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/element.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/half.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// @name Initial values of a tensor: any function of (row, column), where the row is an ID and the
///     column a position in the flattened row
/// @{

/// Zero everywhere.
struct zeros {
  /// The value of an element.
  constexpr double operator()(std::uint64_t, std::uint64_t) const noexcept { return 0; }
};
/// One value everywhere.
struct constant {
  double value = 0;  ///< of every element
  /// The value of an element.
  constexpr double operator()(std::uint64_t, std::uint64_t) const noexcept { return value; }
};
/// Uniform between two numbers, low included. Depends on the seed, the row and the column alone, so
/// it is the same for any number of ranks.
struct uniform {
  float low = 0;           ///< the least value
  float high = 1;          ///< all values are less
  std::uint64_t seed = 0;  ///< another seed gives other values
  /// The value of an element.
  constexpr double operator()(std::uint64_t row, std::uint64_t column) const noexcept {
    const auto drawn = random_stream::at(random_stream::at(seed, row).next(), column).next();
    // 24 bits times 24 bits fit a double: exact, so that a fused multiplication changes nothing.
    const auto width = static_cast<float>(static_cast<double>(high) - static_cast<double>(low));
    return static_cast<double>(width) * (static_cast<double>(drawn >> 40) * 0x1p-24) +
           static_cast<double>(low);
  }
};
/// @}

/// Describes a distributed tensor. The same on all ranks.
struct tensor_options {
  tensor_shape shape{};         ///< rows first: as many as the type has members
  dtype type = dtype::float32;  ///< of an element
  std::string name{};           ///< a safe name without '~'; also names its file
  std::string policy{};  ///< "node~user", "edge~user:likes:item"; "": the one type that has as many
                         ///< members as rows
};

namespace detail {

template <class Init>
concept gives_elements = requires(const Init& init, std::uint64_t i) {
  { init(i, i) } -> std::convertible_to<double>;
};

/// One element that is a float of some width. @pre is_floating(type)
inline double load_floating(dtype type, const std::byte* at) noexcept {
  switch (type) {
    case dtype::float64:
      return load_as<double>(at);
    case dtype::float16:
      return float_from_half(load_as<std::uint16_t>(at));
    case dtype::bfloat16:
      return float_from_bfloat16(load_as<std::uint16_t>(at));
    default:
      return load_as<float>(at);
  }
}
inline void store_floating(dtype type, double value, std::byte* at) noexcept {
  switch (type) {
    case dtype::float64:
      return store_as(value, at);
    case dtype::float16:
      return store_as(half_from_double(value), at);
    case dtype::bfloat16:
      return store_as(bfloat16_from_double(value), at);
    default:
      return store_as(static_cast<float>(value), at);
  }
}
/// One element that is an integer, modulo its width. @pre is_integer(type)
inline std::uint64_t load_integer(dtype type, const std::byte* at) noexcept {
  return load_unsigned(at, item_bytes(type));
}
inline void store_integer(dtype type, std::uint64_t value, std::byte* at) noexcept {
  switch (item_bytes(type)) {
    case 8:
      return store_as(value, at);
    case 4:
      return store_as(static_cast<std::uint32_t>(value), at);
    case 2:
      return store_as(static_cast<std::uint16_t>(value), at);
    default:
      return store_as(static_cast<std::uint8_t>(value), at);
  }
}
/// A value as an element. @errors raises overflow: an integer that is not exactly the value
void store_value(dtype type, double value, std::byte* at);

/// Received rows sorted by ID; rows of one ID stay in the order in which they were received.
std::vector<received_row> by_id(std::span<const received_row> rows);

/// Call f(id, rows of that ID) for each ID, ascending.
template <class Function>
void for_each_id(std::span<const received_row> rows, Function&& f) {
  const auto sorted = by_id(rows);
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    while (end < sorted.size() && sorted[end].id == sorted[begin].id) ++end;
    f(sorted[begin].id, std::span<const received_row>(sorted).subspan(begin, end - begin));
  }
}

}  // namespace detail

/// A tensor whose first axis counts the nodes or edges of one type (or all of them), spread over
/// ranks as the graph's parts are; DGL's DistTensor. The object owns its memory on each rank. The
/// communicator must outlive it. Not thread-safe.
class dist_tensor {
 public:
  /// Collective.
  /// @param graph  whose parts the rows follow
  /// @param what   shape, dtype, name, policy
  /// @param init   double init(row, column), the value of an element
  /// @errors       raises, on all ranks: invalid_argument: a name that no file can have, a policy
  ///     that fits several types (they are named); not_found: no type has so many members;
  ///     mismatch: the policy's type has another number of members, or the ranks describe
  ///     different tensors; overflow
  /// @complexity   O(elements of this rank's parts)
  template <class Init = zeros>
    requires(detail::gives_elements<Init> ||
             unmet<"dist_tensor: init(row, column) must give a number, the value of an element">())
  dist_tensor(const dist_graph& graph, tensor_options what, const Init& init = {})
      : graph_(graph), what_(std::move(what)) {
    run_collective(graph_.ranks(), [&] {
      allocate();
      if constexpr (!std::same_as<Init, zeros>) {
        fill([&](std::uint64_t row, std::span<double> values) {
          for (std::size_t column = 0; column < values.size(); ++column)
            values[column] = static_cast<double>(init(row, std::uint64_t{column}));
        });
      }
    });
  }

  /// The graph whose parts the rows follow.
  const dist_graph& graph() const noexcept { return graph_; }
  /// The name as given.
  const std::string& name() const noexcept { return what_.name; }
  /// "node~user", as given or inferred.
  const std::string& policy() const noexcept { return what_.policy; }
  /// The dtype of an element.
  dtype type() const noexcept { return what_.type; }
  /// The whole shape, rows of all ranks first.
  const tensor_shape& shape() const noexcept { return what_.shape; }
  /// Rows on all ranks.
  std::uint64_t rows() const noexcept { return what_.shape[0]; }
  /// The shape of one row.
  std::span<const std::uint64_t> row_shape() const noexcept {
    return std::span<const std::uint64_t>(what_.shape).subspan(1);
  }
  /// Size of one row.
  std::size_t row_bytes() const noexcept {
    return static_cast<std::size_t>(columns_) * item_bytes(what_.type);
  }
  /// The name of its files, one in each part's folder: "node~user~emb.npy".
  const std::string& file() const noexcept { return file_; }

  /// The rows a part has, by ID. @pre part < number of parts
  id_range rows_of(part_id part) const noexcept {
    const auto& book = graph_.book();
    if (!type_) return of_nodes_ ? book.nodes().range(part) : book.edges().range(part);
    return of_nodes_ ? book.nodes().typed_range(part, *type_)
                     : book.edges().typed_range(part, *type_);
  }
  /// The bytes of those rows, in place. @pre the part is on this rank
  std::span<std::byte> of_part(part_id part) noexcept { return parts_[place(part)]; }
  /// The same bytes, to read. @pre the part is on this rank
  std::span<const std::byte> of_part(part_id part) const noexcept { return parts_[place(part)]; }

  /// One row in place. @pre a row of a part of this rank
  std::span<std::byte> row(std::uint64_t id) noexcept { return {at(id), row_bytes()}; }

  /// Copy rows owned by any rank. Collective.
  /// @param ids  [n] may repeat   @param out  [n x row_bytes()]   @param moved  if given,
  ///     adds the traffic of this call
  /// @errors     raises out_of_range, mismatch; on all ranks
  void gather(any_id_row ids, std::span<std::byte> out, exchange_counters* moved = nullptr) const;
  /// The same, returning a tensor [n, ...]. Collective.
  tensor operator[](any_id_row ids) const;

  /// Replace rows owned by any rank. If an ID occurs several times, the last in the global order
  /// wins. Collective.
  /// @param ids  [n]   @param from  [n x row_bytes()]
  /// @errors     as gather
  void write(any_id_row ids, std::span<const std::byte> from);

  /// Add to rows owned by any rank, such as sparse gradients. The addends of a row are summed in
  /// the global order, floats in double precision, and added to the row with one rounding; integers
  /// wrap. Collective.
  /// @errors      as gather; unsupported: bool
  /// @complexity  O(n log n), memory for the rows that a rank receives
  void add(any_id_row ids, std::span<const std::byte> from);

  /// Send rows to their owners, which call f(id, row in memory, sum of the received rows) for each
  /// ID, ascending. The sum is of doubles, in the global order. For optimizers. Collective.
  /// @errors as gather; unsupported: not a floating type
  void update(any_id_row ids, std::span<const std::byte> from,
              function_ref<void(std::uint64_t, std::span<std::byte>, std::span<const double>)> f);

  /// Write the rows of each part as file() into its folder: that of the part's graph file, or
  /// `folder`/part<p>. All ranks write temporary files and rename them when all have written.
  /// Manifests do not list these files, so no later run replaces a folder that holds them.
  /// Collective.
  /// @errors raises, on all ranks: not_found: no such folder; busy, io; unsupported:
  ///     bfloat16, which .npy lacks
  void save(const std::string& folder = {}) const;

  /// Read what save() wrote, or other files of the same names, types and shapes. If one of them
  /// cannot be read, nothing changes. Collective.
  /// @errors raises, on all ranks: those of the opener and of .npy; mismatch: another dtype or
  ///     shape
  void restore(const any_file_opener& files, const std::string& folder = {});

 private:
  /// Check the description and allocate the rows of this rank. Inside run_collective().
  void allocate();
  /// @param give  give(row, values): the elements of a row
  void fill(function_ref<void(std::uint64_t, std::span<double>)> give);
  std::size_t place(part_id part) const noexcept {
    return part - static_cast<std::size_t>(graph_.part_range().begin);
  }
  part_id part_of(std::uint64_t id) const noexcept {
    const auto row = static_cast<global_id>(id);
    const auto& book = graph_.book();
    if (!type_) return of_nodes_ ? graph_.part_of_node(row) : graph_.part_of_edge(row);
    return of_nodes_ ? book.nodes().part_of_unchecked(*type_, row)
                     : book.edges().part_of_unchecked(*type_, row);
  }
  std::byte* at(std::uint64_t id) noexcept {
    return const_cast<std::byte*>(std::as_const(*this).at(id));
  }
  const std::byte* at(std::uint64_t id) const noexcept {
    const auto part = part_of(id);
    return parts_[place(part)].data() +
           static_cast<std::size_t>(id - rows_of(part).begin) * row_bytes();
  }

  std::vector<std::uint64_t> checked(any_id_row ids) const;
  /// Send rows to their owners, which call act() once, with all rows that they own.
  void take(any_id_row ids, std::span<const std::byte> from,
            function_ref<void(std::span<const received_row>)> act);
  void sum_into(std::vector<double>& sums, std::span<const received_row> rows) const noexcept {
    const std::size_t width = item_bytes(type());
    std::fill(sums.begin(), sums.end(), 0.0);
    for (const auto& one : rows) {
      for (std::size_t c = 0; c < sums.size(); ++c)
        sums[c] += detail::load_floating(type(), one.bytes.data() + c * width);
    }
  }

  std::string folder_of(part_id part, const std::string& folder) const;

  // Ranks that describe different tensors would corrupt each other. Inside run_collective().
  void check_same() const;

  dist_graph graph_;
  tensor_options what_;
  bool of_nodes_ = true;
  std::optional<type_id> type_{};  // nothing: all types, by global ID
  std::uint64_t columns_ = 1;
  std::string file_{};
  std::vector<std::vector<std::byte>> parts_{};  // of this rank
};

using DistTensor = dist_tensor;  ///< the name DGL's users know

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/dist/impl/dist_tensor.ipp>
#endif
