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

#include <halograph/book/policy.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/staged_files.hpp>
#include <halograph/serial/half.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
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
struct zeros {
  constexpr double operator()(std::uint64_t, std::uint64_t) const noexcept { return 0; }
};
struct constant {
  double value = 0;
  constexpr double operator()(std::uint64_t, std::uint64_t) const noexcept { return value; }
};
/// Uniform between two numbers, low included. Depends on the seed, the row and the column alone, so
/// it is the same for any number of ranks.
struct uniform {
  float low = 0;
  float high = 1;
  std::uint64_t seed = 0;
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
  tensor_shape shape{};  ///< rows first: as many as the type has members
  dtype type = dtype::float32;
  std::string name{};    ///< a safe name without '~'; also names its file
  std::string policy{};  ///< "node~user", "edge~user:likes:item"; "": the one type that has as many
                         ///< members as rows
};

namespace detail {

template <class Init>
concept gives_elements = requires(const Init& init, std::uint64_t i) {
  { init(i, i) } -> std::convertible_to<double>;
};

template <class T>
T load_as(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
void store_as(T value, std::byte* at) noexcept {
  std::memcpy(at, &value, sizeof value);
}

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
  switch (item_bytes(type)) {
    case 8:
      return load_as<std::uint64_t>(at);
    case 4:
      return load_as<std::uint32_t>(at);
    case 2:
      return load_as<std::uint16_t>(at);
    default:
      return load_as<std::uint8_t>(at);
  }
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
inline void store_value(dtype type, double value, std::byte* at) {
  if (is_floating(type)) return store_floating(type, value, at);
  const bool is_signed = type <= dtype::int64;
  const auto bits = static_cast<int>(8 * item_bytes(type));
  const double low = is_signed ? -std::ldexp(1.0, bits - 1) : 0.0,
               end = type == dtype::boolean ? 2.0 : std::ldexp(1.0, is_signed ? bits - 1 : bits);
  if (!(value >= low && value < end) || std::floor(value) != value) {
    raise(errc::overflow, "an initial value of " + std::to_string(value) + " does not fit " +
                              std::string(name(type)));
  }
  store_integer(type,
                value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                          : static_cast<std::uint64_t>(value),
                at);
}

/// Received rows sorted by ID; rows of one ID stay in the order in which they were received.
inline std::vector<received_row> by_id(std::span<const received_row> rows) {
  std::vector<received_row> sorted(rows.begin(), rows.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const received_row& a, const received_row& b) { return a.id < b.id; });
  return sorted;
}

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
template <communicator Communicator>
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
  dist_tensor(const dist_graph<Communicator>& graph, tensor_options what, const Init& init = {})
      : graph_(graph), what_(std::move(what)) {
    run_collective(graph_.ranks(), [&] {
      if (what_.shape.empty())
        raise(errc::invalid_argument, "a distributed tensor needs rows; its shape is ()");
      const auto policy = what_.policy.empty()
                              ? infer_policy(what_.shape[0], graph_.book())
                              : partition_policy<partition_book>(what_.policy, graph_.book());
      if (policy.get_size() != what_.shape[0]) {
        raise(errc::mismatch, "a tensor of " + std::to_string(what_.shape[0]) +
                                  " rows cannot follow " +
                                  graph_schema::quoted(policy.policy_str()) + ", which has " +
                                  std::to_string(policy.get_size()) + " members");
      }
      what_.policy = policy.policy_str();
      of_nodes_ = policy.is_node();
      // DGL's names for all types together; where they are a type's own name, it is the only one.
      const bool all = policy.type_name() == (of_nodes_ ? "_N" : "_N:_E:_N");
      if (!all)
        type_ = of_nodes_ ? graph_.book().node_type_number(policy.type_name())
                          : graph_.book().edge_type_number(policy.type_name());
      file_ = data_name(policy.name(), what_.name).str() + ".npy";
      if (!is_safe_name(file_))
        raise(errc::invalid_argument,
              "the name " + graph_schema::quoted(file_) + " is too long for a file");
      std::uint64_t bytes = 0;
      if (!tensor_bytes_into(what_.shape, what_.type, bytes))
        raise(errc::overflow,
              "a tensor of shape " + to_string(what_.shape) + " takes more than 2^64 bytes");
      columns_ = element_count(std::span<const std::uint64_t>(what_.shape).subspan(1));
      check_same();
      for (const auto& part : graph_.parts()) {
        const id_range rows = rows_of(part.part());
        auto& memory = parts_.emplace_back(static_cast<std::size_t>(rows.size()) * row_bytes());
        if constexpr (!std::same_as<Init, zeros>) {
          std::byte* at = memory.data();
          for (std::uint64_t row = rows.begin; row < rows.end; ++row) {
            for (std::uint64_t column = 0; column < columns_;
                 ++column, at += item_bytes(what_.type)) {
              detail::store_value(what_.type, static_cast<double>(init(row, column)), at);
            }
          }
        }
      }
    });
  }

  const dist_graph<Communicator>& graph() const noexcept { return graph_; }
  const std::string& name() const noexcept { return what_.name; }
  /// "node~user", as given or inferred.
  const std::string& policy() const noexcept { return what_.policy; }
  dtype type() const noexcept { return what_.type; }
  const tensor_shape& shape() const noexcept { return what_.shape; }
  std::uint64_t rows() const noexcept { return what_.shape[0]; }
  std::span<const std::uint64_t> row_shape() const noexcept {
    return std::span<const std::uint64_t>(what_.shape).subspan(1);
  }
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
  std::span<const std::byte> of_part(part_id part) const noexcept { return parts_[place(part)]; }

  /// One row in place. @pre a row of a part of this rank
  std::span<std::byte> row(std::uint64_t id) noexcept { return {at(id), row_bytes()}; }

  /// Copy rows owned by any rank. Collective.
  /// @param ids  [n] may repeat   @param out  [n x row_bytes()]   @param moved  if given,
  ///     adds the traffic of this call
  /// @errors     raises out_of_range, mismatch; on all ranks
  template <id_row Row>
  void gather(const Row& ids, std::span<std::byte> out, exchange_counters* moved = nullptr) const {
    exchange_counters cost;
    run_collective(graph_.ranks(), [&] {
      const auto rows = checked(ids);
      row_exchange<Communicator> exchange(graph_.ranks(), graph_.options().exchange_bytes);
      exchange.fetch(
          rows, row_bytes(), rank_of(),
          [&](std::uint64_t id, std::span<std::byte> row) {
            if (!row.empty()) std::memcpy(row.data(), at(id), row.size());
          },
          out);
      cost = exchange.counters();
    });
    if (moved != nullptr) *moved += cost;
  }
  /// The same, returning a tensor [n, ...]. Collective.
  template <id_row Row>
  tensor operator[](const Row& ids) const {
    std::optional<tensor> out;
    run_collective(graph_.ranks(), [&] {
      tensor_shape shape = what_.shape;
      shape[0] = ids_of(ids).size();
      auto bytes = std::make_shared<std::vector<std::byte>>(ids_of(ids).size() * row_bytes());
      gather(ids, *bytes);
      const std::span<const std::byte> view(*bytes);
      out.emplace(type(), std::move(shape), view, std::move(bytes));
    });
    return std::move(*out);
  }

  /// Replace rows owned by any rank. If an ID occurs several times, the last in the global order
  /// wins. Collective.
  /// @param ids  [n]   @param from  [n x row_bytes()]
  /// @errors     as gather
  template <id_row Row>
  void write(const Row& ids, std::span<const std::byte> from) {
    take(ids, from, [&](std::span<const received_row> all) {
      for (const auto& one : all) {
        if (!one.bytes.empty()) std::memcpy(at(one.id), one.bytes.data(), one.bytes.size());
      }
    });
  }

  /// Add to rows owned by any rank, such as sparse gradients. The addends of a row are summed in
  /// the global order, floats in double precision, and added to the row with one rounding; integers
  /// wrap. Collective.
  /// @errors      as gather; unsupported: bool
  /// @complexity  O(n log n), memory for the rows that a rank receives
  template <id_row Row>
  void add(const Row& ids, std::span<const std::byte> from) {
    run_collective(graph_.ranks(), [&] {
      if (type() == dtype::boolean)
        raise(errc::unsupported,
              "rows of bool cannot be added to; use a tensor of an integer type");
      take(ids, from, [&](std::span<const received_row> all) {
        const std::size_t width = item_bytes(type());
        std::vector<double> sums(is_floating(type()) ? static_cast<std::size_t>(columns_) : 0);
        detail::for_each_id(all, [&](std::uint64_t id, std::span<const received_row> rows) {
          std::byte* const row = at(id);
          if (is_floating(type())) {
            sum_into(sums, rows);
            for (std::size_t c = 0; c < sums.size(); ++c)
              detail::store_floating(type(),
                                     detail::load_floating(type(), row + c * width) + sums[c],
                                     row + c * width);
            return;
          }
          for (std::size_t c = 0; c < columns_; ++c) {
            std::uint64_t sum = detail::load_integer(type(), row + c * width);
            for (const auto& one : rows)
              sum += detail::load_integer(type(), one.bytes.data() + c * width);
            detail::store_integer(type(), sum, row + c * width);
          }
        });
      });
    });
  }

  /// Send rows to their owners, which call f(id, row in memory, sum of the received rows) for each
  /// ID, ascending. The sum is of doubles, in the global order. For optimizers. Collective.
  /// @errors as gather; unsupported: not a floating type
  template <id_row Row, class Function>
  void update(const Row& ids, std::span<const std::byte> from, Function&& f) {
    run_collective(graph_.ranks(), [&] {
      if (!is_floating(type()))
        raise(errc::unsupported,
              "rows of " + std::string(halograph::name(type())) +
                  " cannot be summed in double precision; use a tensor of a floating type");
      take(ids, from, [&](std::span<const received_row> all) {
        std::vector<double> sums(static_cast<std::size_t>(columns_));
        detail::for_each_id(all, [&](std::uint64_t id, std::span<const received_row> rows) {
          sum_into(sums, rows);
          f(id, std::span<std::byte>(at(id), row_bytes()), std::span<const double>(sums));
        });
      });
    });
  }

  /// Write the rows of each part as file() into its folder: that of the part's graph file, or
  /// `folder`/part<p>. All ranks write temporary files and rename them when all have written.
  /// Manifests do not list these files, so no later run replaces a folder that holds them.
  /// Collective.
  /// @errors raises, on all ranks: not_found: no such folder; busy, io; unsupported:
  ///     bfloat16, which .npy lacks
  void save(const std::string& folder = {}) const {
    run_collective(graph_.ranks(), [&] {
      std::vector<staged_files> staged;
      for (const auto& part : graph_.parts()) {
        auto& out = staged.emplace_back(folder_of(part.part(), folder), "tensor");
        out.add(file_);
        tensor_shape mine = what_.shape;
        mine[0] = rows_of(part.part()).size();
        const auto layout = npy_layout(file_, type(), mine);
        auto sink = file_sink::create(out.path() + "/" + file_, layout.bytes);
        sink.require(write_literals(layout, sink));
        const auto bytes = of_part(part.part());
        if (std::endian::native == std::endian::little || item_bytes(type()) == 1) {
          sink.require(sink.write_at(layout.sections[0].offset, bytes));
        } else {
          std::vector<std::byte> swapped(bytes.begin(), bytes.end());
          for (std::size_t i = 0; i < swapped.size(); i += item_bytes(type()))
            std::reverse(swapped.data() + i, swapped.data() + i + item_bytes(type()));
          sink.require(sink.write_at(layout.sections[0].offset, swapped));
        }
        sink.sync();
        sink.close();
      }
      check_peers(graph_.ranks());
      for (auto& one : staged) one.commit();
    });
  }

  /// Read what save() wrote, or other files of the same names, types and shapes. If one of them
  /// cannot be read, nothing changes. Collective.
  /// @errors raises, on all ranks: those of the opener and of .npy; mismatch: another dtype or
  ///     shape
  template <file_opener Files>
  void restore(const Files& files, const std::string& folder = {}) {
    std::vector<tensor> found;
    run_collective(graph_.ranks(), [&] {
      for (const auto& part : graph_.parts()) {
        const std::string path = folder_of(part.part(), folder) + "/" + file_;
        const tensor& rows = found.emplace_back(read_npy(files(path), path));
        tensor_shape mine = what_.shape;
        mine[0] = rows_of(part.part()).size();
        if (rows.type() != type() || rows.shape() != mine) {
          raise(errc::mismatch,
                "the file holds " + std::string(halograph::name(rows.type())) + " of shape " +
                    to_string(rows.shape()) + "; part " + std::to_string(part.part()) +
                    " of this tensor is " + std::string(halograph::name(type())) + " of shape " +
                    to_string(mine),
                {path, {}, {}});
        }
      }
    });
    for (std::size_t i = 0; i < found.size(); ++i)
      std::copy(found[i].bytes().begin(), found[i].bytes().end(), parts_[i].begin());
  }

 private:
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
  auto rank_of() const {
    return [this](std::uint64_t id) { return graph_.rank_of_part(part_of(id)); };
  }
  std::byte* at(std::uint64_t id) noexcept {
    return const_cast<std::byte*>(std::as_const(*this).at(id));
  }
  const std::byte* at(std::uint64_t id) const noexcept {
    const auto part = part_of(id);
    return parts_[place(part)].data() +
           static_cast<std::size_t>(id - rows_of(part).begin) * row_bytes();
  }

  template <id_row Row>
  std::vector<std::uint64_t> checked(const Row& ids) const {
    std::vector<std::uint64_t> out;
    out.reserve(ids_of(ids).size());
    for (const auto id : ids_of(ids)) {
      if (!std::in_range<std::uint64_t>(id) || static_cast<std::uint64_t>(id) >= rows()) {
        raise(errc::out_of_range,
              "row " + std::to_string(id) + " of tensor " + graph_schema::quoted(what_.name) +
                  " is not in the valid range [0, " + std::to_string(rows()) + ")");
      }
      out.push_back(static_cast<std::uint64_t>(id));
    }
    return out;
  }
  template <id_row Row, class Take>
  void take(const Row& ids, std::span<const std::byte> from, const Take& act) {
    run_collective(graph_.ranks(), [&] {
      const auto rows = checked(ids);
      row_exchange<Communicator> exchange(graph_.ranks(), graph_.options().exchange_bytes);
      exchange.send_to_owners(rows, row_bytes(), rank_of(), from, act);
    });
  }
  void sum_into(std::vector<double>& sums, std::span<const received_row> rows) const noexcept {
    const std::size_t width = item_bytes(type());
    std::fill(sums.begin(), sums.end(), 0.0);
    for (const auto& one : rows) {
      for (std::size_t c = 0; c < sums.size(); ++c)
        sums[c] += detail::load_floating(type(), one.bytes.data() + c * width);
    }
  }

  std::string folder_of(part_id part, const std::string& folder) const {
    if (!folder.empty()) return folder + "/part" + std::to_string(part);
    const std::string graph = graph_.config().resolve(graph_.config().parts[part].graph);
    const auto slash = graph.rfind('/');
    return slash == std::string::npos ? "." : graph.substr(0, slash);
  }

  // Ranks that describe different tensors would corrupt each other. Inside run_collective().
  void check_same() const {
    const std::string text = file_ + " " + std::string(halograph::name(what_.type)) +
                             to_string(what_.shape);
    require_same(graph_.ranks(), text, "describes another tensor than",
                 "name, dtype, shape and policy must be the same on all ranks");
  }

  dist_graph<Communicator> graph_;
  tensor_options what_;
  bool of_nodes_ = true;
  std::optional<type_id> type_{};  // nothing: all types, by global ID
  std::uint64_t columns_ = 1;
  std::string file_{};
  std::vector<std::vector<std::byte>> parts_{};  // of this rank
};

template <communicator Communicator = single_rank>
using DistTensor = dist_tensor<Communicator>;  ///< the name DGL's users know

}  // namespace halograph
