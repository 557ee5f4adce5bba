// SPDX-License-Identifier: BSL-1.0
/// @file dist_tensor.ipp
/// Bodies of the plain functions of dist/dist_tensor.hpp.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/book/policy.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/dist_tensor.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/staged_files.hpp>
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

namespace halograph::detail {

HALOGRAPH_INLINE void store_value(dtype type, double value, std::byte* at) {
  if (is_floating(type)) return store_floating(type, value, at);
  const bool is_signed = type <= dtype::int64;
  const auto bits = static_cast<int>(8 * item_bytes(type));
  const double low = is_signed ? -std::ldexp(1.0, bits - 1) : 0.0,
               end = type == dtype::boolean ? 2.0 : std::ldexp(1.0, is_signed ? bits - 1 : bits);
  if (!(value >= low && value < end) || std::floor(value) != value) {
    raise(error_kind::overflow,
          concat({"an initial value of ", std::to_string(value), " does not fit ", name(type)}));
  }
  store_integer(type,
                value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                          : static_cast<std::uint64_t>(value),
                at);
}

HALOGRAPH_INLINE std::vector<received_row> by_id(std::span<const received_row> rows) {
  std::vector<received_row> sorted(rows.begin(), rows.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const received_row& a, const received_row& b) { return a.id < b.id; });
  return sorted;
}

}  // namespace halograph::detail

namespace halograph {

HALOGRAPH_INLINE void dist_tensor::gather(any_id_row ids, std::span<std::byte> out,
                                          exchange_counters* moved) const {
  exchange_counters cost;
  run_collective(graph_.ranks(), [&] {
    const auto rows = checked(ids);
    row_exchange exchange(graph_.ranks(), graph_.options().exchange_bytes);
    exchange.fetch(
        rows, row_bytes(), [this](std::uint64_t id) { return graph_.rank_of_part(part_of(id)); },
        [&](std::uint64_t id, std::span<std::byte> row) {
          if (!row.empty()) std::memcpy(row.data(), at(id), row.size());
        },
        out);
    cost = exchange.counters();
  });
  if (moved != nullptr) *moved += cost;
}

HALOGRAPH_INLINE tensor dist_tensor::operator[](any_id_row ids) const {
  std::optional<tensor> out;
  run_collective(graph_.ranks(), [&] {
    tensor_shape shape = what_.shape;
    shape[0] = ids.size();
    auto bytes = std::make_shared<std::vector<std::byte>>(ids.size() * row_bytes());
    gather(ids, *bytes);
    const std::span<const std::byte> view(*bytes);
    out.emplace(type(), std::move(shape), view, std::move(bytes));
  });
  return std::move(*out);
}

HALOGRAPH_INLINE void dist_tensor::write(any_id_row ids, std::span<const std::byte> from) {
  take(ids, from, [&](std::span<const received_row> all) {
    for (const auto& one : all) {
      if (!one.bytes.empty()) std::memcpy(at(one.id), one.bytes.data(), one.bytes.size());
    }
  });
}

HALOGRAPH_INLINE void dist_tensor::add(any_id_row ids, std::span<const std::byte> from) {
  run_collective(graph_.ranks(), [&] {
    if (type() == dtype::boolean)
      raise(error_kind::unsupported,
            "rows of bool cannot be added to; use a tensor of an integer type");
    take(ids, from, [&](std::span<const received_row> all) {
      const std::size_t width = item_bytes(type());
      std::vector<double> sums(is_floating(type()) ? static_cast<std::size_t>(columns_) : 0);
      detail::for_each_id(all, [&](std::uint64_t id, std::span<const received_row> rows) {
        std::byte* const row = at(id);
        if (is_floating(type())) {
          sum_into(sums, rows);
          for (std::size_t c = 0; c < sums.size(); ++c)
            detail::store_floating(type(), detail::load_floating(type(), row + c * width) + sums[c],
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

HALOGRAPH_INLINE void dist_tensor::update(
    any_id_row ids, std::span<const std::byte> from,
    function_ref<void(std::uint64_t, std::span<std::byte>, std::span<const double>)> f) {
  run_collective(graph_.ranks(), [&] {
    if (!is_floating(type()))
      raise(error_kind::unsupported,
            concat({"rows of ", halograph::name(type()),
                    " cannot be summed in double precision; use a tensor of a floating type"}));
    take(ids, from, [&](std::span<const received_row> all) {
      std::vector<double> sums(static_cast<std::size_t>(columns_));
      detail::for_each_id(all, [&](std::uint64_t id, std::span<const received_row> rows) {
        sum_into(sums, rows);
        f(id, std::span<std::byte>(at(id), row_bytes()), std::span<const double>(sums));
      });
    });
  });
}

HALOGRAPH_INLINE void dist_tensor::save(const std::string& folder) const {
  run_collective(graph_.ranks(), [&] {
    std::vector<staged_files> staged;
    for (const auto& part : graph_.parts()) {
      auto& out = staged.emplace_back(folder_of(part.part(), folder), "tensor");
      out.add(file_);
      tensor_shape mine = what_.shape;
      mine[0] = rows_of(part.part()).size();
      const auto layout = npy_layout(file_, type(), mine);
      auto sink = file_sink::create(concat({out.path(), "/", file_}), layout.bytes);
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

HALOGRAPH_INLINE void dist_tensor::restore(const any_file_opener& files,
                                           const std::string& folder) {
  std::vector<tensor> found;
  run_collective(graph_.ranks(), [&] {
    for (const auto& part : graph_.parts()) {
      const std::string path = concat({folder_of(part.part(), folder), "/", file_});
      const tensor& rows = found.emplace_back(read_npy(files(path), path));
      tensor_shape mine = what_.shape;
      mine[0] = rows_of(part.part()).size();
      if (rows.type() != type() || rows.shape() != mine) {
        raise(error_kind::mismatch,
              concat({"the file holds ", halograph::name(rows.type()), " of shape ",
                      to_string(rows.shape()), "; part ", part.part(), " of this tensor is ",
                      halograph::name(type()), " of shape ", to_string(mine)}),
              {path, {}, {}});
      }
    }
  });
  for (std::size_t i = 0; i < found.size(); ++i)
    std::copy(found[i].bytes().begin(), found[i].bytes().end(), parts_[i].begin());
}

HALOGRAPH_INLINE void dist_tensor::allocate() {
  if (what_.shape.empty())
    raise(error_kind::invalid_argument, "a distributed tensor needs rows; its shape is ()");
  const auto policy = what_.policy.empty()
                          ? infer_policy(what_.shape[0], graph_.book())
                          : partition_policy<partition_book>(what_.policy, graph_.book());
  if (policy.get_size() != what_.shape[0]) {
    raise(error_kind::mismatch, concat({"a tensor of ", what_.shape[0], " rows cannot follow ",
                                        graph_schema::quoted(policy.policy_str()), ", which has ",
                                        policy.get_size(), " members"}));
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
    raise(error_kind::invalid_argument,
          concat({"the name ", graph_schema::quoted(file_), " is too long for a file"}));
  std::uint64_t bytes = 0;
  if (!tensor_bytes_into(what_.shape, what_.type, bytes))
    raise(error_kind::overflow,
          concat({"a tensor of shape ", to_string(what_.shape), " takes more than 2^64 bytes"}));
  columns_ = element_count(std::span<const std::uint64_t>(what_.shape).subspan(1));
  check_same();
  for (const auto& part : graph_.parts())
    parts_.emplace_back(static_cast<std::size_t>(rows_of(part.part()).size()) * row_bytes());
}

HALOGRAPH_INLINE void dist_tensor::fill(function_ref<void(std::uint64_t, std::span<double>)> give) {
  std::vector<double> values(static_cast<std::size_t>(columns_));
  for (const auto& part : graph_.parts()) {
    const id_range rows = rows_of(part.part());
    std::byte* at = of_part(part.part()).data();
    for (std::uint64_t row = rows.begin; row < rows.end; ++row) {
      give(row, values);
      for (const double value : values) {
        detail::store_value(what_.type, value, at);
        at += item_bytes(what_.type);
      }
    }
  }
}

HALOGRAPH_INLINE std::vector<std::uint64_t> dist_tensor::checked(any_id_row ids) const {
  if (const std::size_t at = ids.find_outside(rows()); at != ids.size()) {
    raise(
        error_kind::out_of_range,
        concat({"row ", ids.visit([&](auto all) { return std::to_string(all[at]); }), " of tensor ",
                graph_schema::quoted(what_.name), " is not in the valid range [0, ", rows(), ")"}));
  }
  std::vector<std::uint64_t> out(ids.size());
  ids.convert(0, out);
  return out;
}

HALOGRAPH_INLINE void dist_tensor::take(any_id_row ids, std::span<const std::byte> from,
                                        function_ref<void(std::span<const received_row>)> act) {
  run_collective(graph_.ranks(), [&] {
    const auto rows = checked(ids);
    row_exchange exchange(graph_.ranks(), graph_.options().exchange_bytes);
    exchange.send_to_owners(
        rows, row_bytes(), [this](std::uint64_t id) { return graph_.rank_of_part(part_of(id)); },
        from, act);
  });
}

HALOGRAPH_INLINE std::string dist_tensor::folder_of(part_id part, const std::string& folder) const {
  if (!folder.empty()) return concat({folder, "/part", part});
  const std::string graph = graph_.config().resolve(graph_.config().parts[part].graph);
  const auto slash = graph.rfind('/');
  return slash == std::string::npos ? "." : graph.substr(0, slash);
}

HALOGRAPH_INLINE void dist_tensor::check_same() const {
  const std::string text = concat(
      {file_, " ", halograph::name(what_.type), to_string(what_.shape)});
  require_same(graph_.ranks(), text, "describes another tensor than",
               "name, dtype, shape and policy must be the same on all ranks");
}

}  // namespace halograph
