// SPDX-License-Identifier: BSL-1.0
/// @file tensor.ipp
/// Bodies of the plain functions of serial/tensor.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace halograph {

HALOGRAPH_INLINE std::string to_string(std::span<const std::uint64_t> shape) {
  std::string out = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + (shape.size() == 1 ? ",)" : ")");
}

HALOGRAPH_INLINE tensor::tensor(dtype type, tensor_shape shape, std::span<const std::byte> data,
                                std::shared_ptr<const void> owner)
    : type_(type), shape_(std::move(shape)), data_(data), owner_(std::move(owner)) {
  std::uint64_t bytes = 0;
  if (!tensor_bytes_into(shape_, type_, bytes)) {
    raise(error_kind::overflow, "a tensor of shape " + to_string(shape_) + " and dtype " +
                                    std::string(name(type_)) +
                                    " takes more than 2^64 bytes; extents must multiply to less");
  }
  if (data_.size() != bytes) {
    raise(error_kind::mismatch, "a tensor of shape " + to_string(shape_) + " and dtype " +
                                    std::string(name(type_)) + " takes " + std::to_string(bytes) +
                                    " bytes, not " + std::to_string(data_.size()));
  }
}

}  // namespace halograph
