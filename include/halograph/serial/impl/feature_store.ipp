// SPDX-License-Identifier: BSL-1.0
/// @file feature_store.ipp
/// Bodies of the plain functions of serial/feature_store.hpp.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE chunked_tensor::chunked_tensor(std::vector<tensor> chunks)
    : chunks_(std::move(chunks)) {
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const tensor &chunk = chunks_[i], &first = chunks_[0];
    if (chunk.type() != first.type() || chunk.rank() != first.rank() ||
        (i > 0 && chunk.rank() == 0) ||
        !std::equal(chunk.row_shape().begin(), chunk.row_shape().end(), first.row_shape().begin(),
                    first.row_shape().end())) {
      raise(error_kind::mismatch,
            "chunk " + std::to_string(i) + " of a feature has dtype " +
                std::string(name(chunk.type())) + " and shape " + to_string(chunk.shape()) +
                ", chunk 0 has " + std::string(name(first.type())) + " and " +
                to_string(first.shape()) + "; they may differ in the number of rows alone");
    }
    check(add_into(end, chunk.rows(), end),
          "the chunks of a feature have more than 2^64 rows together");
    ends_.push_back(end);
  }
}

HALOGRAPH_INLINE feature_set_ref::feature_set_ref(const basic_feature_set<chunked_tensor>& set) {
  for (const auto& one : set.nodes) nodes.push_back({one.type, one.name, one.rows});
  for (const auto& one : set.edges) edges.push_back({one.type, one.name, one.rows});
}

}  // namespace halograph
