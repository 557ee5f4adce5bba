// SPDX-License-Identifier: BSL-1.0
/// @file dist_embedding.hpp
/// Learned rows for each node or edge of a type, and the sparse optimizers that change them.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/dist_tensor.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/tensor.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace halograph {

/// w -= rate * g
struct sparse_sgd {
  float rate = 0.01f;
};

/// s += g * g, then w -= rate * g / (sqrt(s) + epsilon)
/// @source Duchi, Hazan & Singer, "Adaptive subgradient methods", JMLR 12, 2011
struct sparse_adagrad {
  float rate = 0.01f;
  float epsilon = 1e-10f;
};

/// A learned float32 tensor [rows, width]; DGL's DistEmbedding. Otherwise as dist_tensor.
///
/// The gradients of a row are summed in the global order and rounded once to float32; then the row
/// takes one step. Products of two floats are exact in double precision, so every machine and any
/// number of ranks give the same bytes.
template <communicator Communicator>
class dist_embedding {
 public:
  /// Collective.
  /// @param rows    how many; those of `policy`, or of the one type that has as many members
  /// @errors        as dist_tensor
  template <class Init = zeros>
  dist_embedding(const dist_graph<Communicator>& graph, std::uint64_t rows, std::uint64_t width,
                 const std::string& name, const Init& init = {}, const std::string& policy = {})
      : weights_(made(graph, rows, width, name, init, policy)) {}

  dist_tensor<Communicator>& weights() noexcept { return weights_; }
  const dist_tensor<Communicator>& weights() const noexcept { return weights_; }

  /// Rows owned by any rank, [n, width]. Collective.
  template <id_row Row>
  tensor operator()(const Row& ids) const {
    return weights_[ids];
  }

  /// One step. Collective.
  /// @param ids        [n] may repeat, on one rank and across ranks
  /// @param gradients  [n x width]
  /// @errors           as dist_tensor::gather
  template <id_row Row>
  void step(const sparse_sgd& optimizer, const Row& ids, std::span<const float> gradients) {
    weights_.update(ids, std::as_bytes(gradients),
                    [&](std::uint64_t, std::span<std::byte> row, std::span<const double> sums) {
                      for (std::size_t c = 0; c < sums.size(); ++c) {
                        const auto gradient = static_cast<float>(sums[c]);
                        move(row, c,
                             static_cast<double>(optimizer.rate) * static_cast<double>(gradient));
                      }
                    });
  }
  template <id_row Row>
  void step(const sparse_adagrad& optimizer, const Row& ids, std::span<const float> gradients) {
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

  /// Create the state of Adagrad unless it exists; needed when restore() comes before the first
  /// step. Collective.
  void store_squares() {
    if (squares_) return;
    run_collective(weights_.graph().ranks(), [&] {
      squares_.emplace(weights_.graph(),
                       tensor_options{weights_.shape(), dtype::float32,
                                      weights_.name() + ".adagrad", weights_.policy()});
    });
  }

  /// Save and restore the weights and the state of the optimizer, as dist_tensor does.
  /// Collective.
  void save(const std::string& folder = {}) const {
    run_collective(weights_.graph().ranks(), [&] {
      weights_.save(folder);
      if (squares_) squares_->save(folder);
    });
  }
  template <file_opener Files>
  void restore(const Files& files, const std::string& folder = {}) {
    weights_.restore(files, folder);
    if (squares_) squares_->restore(files, folder);
  }

 private:
  template <class Init>
  static dist_tensor<Communicator> made(const dist_graph<Communicator>& graph, std::uint64_t rows,
                                        std::uint64_t width, const std::string& name,
                                        const Init& init, const std::string& policy) {
    std::optional<dist_tensor<Communicator>> out;
    run_collective(graph.ranks(), [&] {
      out.emplace(
          graph,
          tensor_options{
              .shape = {rows, width}, .type = dtype::float32, .name = name, .policy = policy},
          init);
    });
    return std::move(*out);
  }
  static void move(std::span<std::byte> row, std::size_t column, double step) noexcept {
    std::byte* const at = row.data() + 4 * column;
    detail::store_as(static_cast<float>(static_cast<double>(detail::load_as<float>(at)) - step),
                     at);
  }

  dist_tensor<Communicator> weights_;
  std::optional<dist_tensor<Communicator>> squares_{};  // Adagrad's sums of squares
};

}  // namespace halograph
