// SPDX-License-Identifier: BSL-1.0
/// @file tensors.ipp
/// Bodies of the plain functions of serial/dgl/tensors.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dgl/tensors.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::dgl::detail {

HALOGRAPH_INLINE std::span<const std::byte> cursor::take(std::uint64_t count,
                                                         std::string_view what) {
  field_ = position_;
  if (count > left()) {
    fail(error_kind::truncated,
         "the file ends inside " + std::string(what) + ", which takes " + std::to_string(count) +
             " bytes where " + std::to_string(left()) + " are left",
         position_);
  }
  position_ += count;
  return data_.bytes.subspan(static_cast<std::size_t>(field_), static_cast<std::size_t>(count));
}

HALOGRAPH_INLINE std::uint64_t cursor::count(std::string_view what, std::uint64_t least) {
  const auto found = number<std::uint64_t>(what);
  if (found > left() / least) {
    fail(error_kind::truncated,
         std::string(what) + " is " + std::to_string(found) + ", but the " +
             std::to_string(left()) + " bytes left hold at most " + std::to_string(left() / least),
         field_);
  }
  return found;
}

HALOGRAPH_INLINE std::uint64_t cursor::extent(std::string_view what) {
  const auto found = number<std::int64_t>(what);
  if (found < 0)
    malformed(std::string(what) + " is " + std::to_string(found) + "; it must not be negative");
  return static_cast<std::uint64_t>(found);
}

HALOGRAPH_INLINE tensor cursor::array(std::string_view what) {
  magic(array_magic, "array");
  take(8, what);
  if (const auto device = number<std::int32_t>("a device type"); device != 1) {
    malformed("device type of " + std::string(what) + " is " + std::to_string(device) +
              "; it must be 1 (CPU)");
  }
  if (const auto device = number<std::int32_t>("a device number"); device != 0 && strict()) {
    malformed("device number of " + std::string(what) + " is " + std::to_string(device) +
              "; it must be 0");
  }
  const auto rank = number<std::int32_t>("a rank");
  if (rank < 0 || rank > most_dimensions) {
    malformed(std::string(what) + " has " + std::to_string(rank) +
              " dimensions; 0 to 32 are legal");
  }
  const auto code = number<std::uint8_t>("a dtype");
  const std::uint64_t dtype_at = field_;
  const auto bits = number<std::uint8_t>("a dtype");
  const auto lanes = number<std::uint16_t>("a dtype");
  const auto type = dtype_of_code(code, bits);
  if (!type || lanes != 1) {
    fail(error_kind::malformed,
         "dtype of " + std::string(what) + " has code " + std::to_string(code) + ", " +
             std::to_string(bits) + " bits, " + std::to_string(lanes) +
             " lanes, which is none of int8..int64, uint8..uint64, float16..float64, bfloat16",
         dtype_at);
  }
  tensor_shape shape;
  std::uint64_t bytes = item_bytes(*type);
  bool none = false;
  for (std::int32_t i = 0; i < rank; ++i) {
    shape.push_back(extent("an extent"));
    if (shape.back() == 0)
      none = true;
    else if (!multiply_into(bytes, shape.back(), bytes) ||
             bytes > std::numeric_limits<std::int64_t>::max()) {
      malformed("shape " + to_string(shape) + " of " + std::string(what) +
                " has more than 2^63 - 1 bytes");
    }
  }
  if (none) bytes = 0;
  if (const std::uint64_t stated = extent("a size in bytes"); stated != bytes) {
    malformed(std::string(what) + " says to have " + std::to_string(stated) + " bytes, but shape " +
              to_string(shape) + " of " + std::string(name(*type)) + " takes " +
              std::to_string(bytes));
  }
  const auto data = take(bytes, what);
  if constexpr (std::endian::native == std::endian::big) {
    auto owned = std::make_shared<std::vector<std::byte>>(data.begin(), data.end());
    swap_elements_to_little_endian(*owned, item_bytes(*type));
    const std::span<const std::byte> view(*owned);
    return tensor(*type, std::move(shape), view, std::move(owned));
  } else {
    return tensor(*type, std::move(shape), data, data_.owner);
  }
}

HALOGRAPH_INLINE std::vector<named_tensor> cursor::named_arrays(std::string_view what) {
  const std::uint64_t many = count(what, 8 + least_array_bytes);
  std::vector<named_tensor> found;
  found.reserve(static_cast<std::size_t>(many));
  std::vector<std::uint64_t> places;
  for (std::uint64_t i = 0; i < many; ++i) {
    places.push_back(position_);
    std::string key = string("a tensor's name");
    found.push_back({std::move(key), {}});
    found.back().value = array("tensor " + graph_schema::quoted(found.back().name));
  }
  settle_equal_keys(found, places);
  return found;
}

HALOGRAPH_INLINE void cursor::settle_equal_keys(std::vector<named_tensor>& found,
                                                const std::vector<std::uint64_t>& places) const {
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return found[a].name < found[b].name; });
  std::vector<bool> drop(found.size());
  bool any = false;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (found[order[i]].name != found[order[i - 1]].name) continue;
    if (strict()) {
      fail(error_kind::malformed,
           "tensor " + graph_schema::quoted(found[order[i]].name) +
               " is there twice; names must differ",
           places[order[i]]);
    }
    drop[order[i - 1]] = any = true;
  }
  if (!any) return;
  std::vector<named_tensor> kept;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!drop[i]) kept.push_back(std::move(found[i]));
  }
  found = std::move(kept);
}

HALOGRAPH_INLINE void put_array_header(layout_builder& out, dtype type,
                                       std::span<const std::uint64_t> shape) {
  const dtype_code code = code_of(type);
  out.number(array_magic).number(std::uint64_t{0}).number(std::int32_t{1}).number(std::int32_t{0});
  out.number(static_cast<std::int32_t>(shape.size()))
      .number(code.code)
      .number(code.bits)
      .number(std::uint16_t{1});
  for (const std::uint64_t extent : shape) out.number(extent);
  out.number(layout_builder::array_bytes(type, shape));
}

HALOGRAPH_INLINE void put_array(layout_builder& out, const tensor_plan& plan) {
  tensor_shape shape = plan.shape.empty() ? tensor_shape{1} : plan.shape;
  if (shape.size() > static_cast<std::size_t>(most_dimensions)) {
    raise(error_kind::unsupported, "tensor " + graph_schema::quoted(plan.key) + " has " +
                                       std::to_string(shape.size()) +
                                       " dimensions; at most 32 can be stored");
  }
  put_array_header(out, stored_dtype(plan.type), shape);
  out.array(plan.what, plan.item, stored_dtype(plan.type), std::move(shape));
}

HALOGRAPH_INLINE void put_named_arrays(layout_builder& out, std::vector<tensor_plan> plans) {
  std::sort(plans.begin(), plans.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  const auto twice = std::adjacent_find(
      plans.begin(), plans.end(), [](const auto& a, const auto& b) { return a.key == b.key; });
  if (twice != plans.end()) {
    raise(error_kind::exists, "tensor " + graph_schema::quoted(twice->key) +
                                  " is listed twice; names in a file must differ");
  }
  out.number(static_cast<std::uint64_t>(plans.size()));
  for (const tensor_plan& plan : plans) {
    put_string(out, plan.key);
    put_array(out, plan);
  }
}

}  // namespace halograph::dgl::detail

namespace halograph::dgl {

HALOGRAPH_INLINE file_layout layout_tensors(std::string file, std::vector<tensor_plan> tensors) {
  layout_builder out(std::move(file));
  out.number(tensors_magic).number(static_cast<std::uint64_t>(tensors.size()));
  detail::put_named_arrays(out, std::move(tensors));
  return std::move(out).finish();
}

HALOGRAPH_INLINE std::vector<named_tensor> read_tensors(const file_bytes& data,
                                                        const std::string& file, strictness how) {
  detail::cursor in(data, file, how);
  if (kind_of(data.bytes) == file_kind::graphs) {
    in.malformed("this is a DGL graph file, where a DGL tensor dictionary is needed");
  }
  in.magic(tensors_magic, "DGL tensor dictionary");
  const auto stated = in.number<std::uint64_t>("the number of tensors");
  const std::uint64_t second = in.position();
  auto found = in.named_arrays("the number of tensors");
  if (how == strictness::strict) {
    const auto counted = load_le<std::uint64_t>(data.bytes.data() + second);
    if (stated != counted) {
      in.fail(error_kind::malformed,
              "the number of tensors is " + std::to_string(stated) + " here and " +
                  std::to_string(counted) + " in the next field; they must be equal",
              8);
    }
    if (in.left() != 0) {
      in.fail(error_kind::malformed,
              std::to_string(in.left()) + " bytes follow the last tensor; the file must end there",
              in.position());
    }
  }
  return found;
}

}  // namespace halograph::dgl
