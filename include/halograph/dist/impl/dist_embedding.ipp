// SPDX-License-Identifier: BSL-1.0
/// @file dist_embedding.ipp
/// Bodies of the plain functions of dist/dist_embedding.hpp.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/dist/dist_embedding.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/dist_tensor.hpp>
#include <halograph/serial/dtype.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace halograph {

HALOGRAPH_INLINE void dist_embedding::step(const sparse_sgd& optimizer, any_id_row ids,
                                           std::span<const float> gradients) {
  weights_.update(ids, std::as_bytes(gradients),
                  [&](std::uint64_t, std::span<std::byte> row, std::span<const double> sums) {
                    for (std::size_t c = 0; c < sums.size(); ++c) {
                      const auto gradient = static_cast<float>(sums[c]);
                      move(row, c,
                           static_cast<double>(optimizer.rate) * static_cast<double>(gradient));
                    }
                  });
}

HALOGRAPH_INLINE void dist_embedding::step(const sparse_adagrad& optimizer, any_id_row ids,
                                           std::span<const float> gradients) {
  store_squares();
  weights_.update(
      ids, std::as_bytes(gradients),
      [&](std::uint64_t id, std::span<std::byte> row, std::span<const double> sums) {
        std::byte* const squares = squares_->row(id).data();
        for (std::size_t c = 0; c < sums.size(); ++c) {
          const auto gradient = static_cast<double>(static_cast<float>(sums[c]));
          const auto square = static_cast<float>(
              static_cast<double>(detail::load_as<float>(squares + 4 * c)) + gradient * gradient);
          detail::store_as(square, squares + 4 * c);
          const double root = std::sqrt(static_cast<double>(square)) +
                              static_cast<double>(optimizer.epsilon);
          move(row, c, static_cast<double>(optimizer.rate) * gradient / root);
        }
      });
}

HALOGRAPH_INLINE void dist_embedding::store_squares() {
  if (squares_) return;
  run_collective(weights_.graph().ranks(), [&] {
    squares_.emplace(weights_.graph(),
                     tensor_options{weights_.shape(), dtype::float32, weights_.name() + ".adagrad",
                                    weights_.policy()});
  });
}

HALOGRAPH_INLINE void dist_embedding::save(const std::string& folder) const {
  run_collective(weights_.graph().ranks(), [&] {
    weights_.save(folder);
    if (squares_) squares_->save(folder);
  });
}

}  // namespace halograph
