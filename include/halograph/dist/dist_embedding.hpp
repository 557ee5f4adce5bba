// SPDX-License-Identifier: BSL-1.0
/// @file dist_embedding.hpp
/// Learned rows for each node or edge of a type, and the sparse optimizers that change them.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/dist_tensor.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace halograph {

/// w -= rate * g
struct sparse_sgd {
  float rate = 0.01f;  ///< step width
};

/// s += g * g, then w -= rate * g / (sqrt(s) + epsilon)
/// @source Duchi, Hazan & Singer, "Adaptive subgradient methods", JMLR 12, 2011
struct sparse_adagrad {
  float rate = 0.01f;      ///< step width
  float epsilon = 1e-10f;  ///< keeps the divisor above zero
};

/// A learned float32 tensor [rows, width]; DGL's DistEmbedding. Otherwise as dist_tensor.
///
/// The gradients of a row are summed in the global order and rounded once to float32; then the row
/// takes one step. Products of two floats are exact in double precision, so every machine and any
/// number of ranks give the same bytes.
class dist_embedding {
 public:
  /// Collective.
  /// @param rows    how many; those of `policy`, or of the one type that has as many members
  /// @errors        as dist_tensor
  template <class Init = zeros>
  dist_embedding(const dist_graph& graph, std::uint64_t rows, std::uint64_t width,
                 const std::string& name, const Init& init = {}, const std::string& policy = {})
      : weights_(made(graph, rows, width, name, init, policy)) {}

  /// The learned rows themselves; valid as long as this object is.
  dist_tensor& weights() noexcept { return weights_; }
  /// The learned rows, to read.
  const dist_tensor& weights() const noexcept { return weights_; }

  /// Rows owned by any rank, [n, width]. Collective.
  tensor operator()(any_id_row ids) const { return weights_[ids]; }

  /// One step. Collective.
  /// @param ids        [n] may repeat, on one rank and across ranks
  /// @param gradients  [n x width]
  /// @errors           as dist_tensor::gather
  void step(const sparse_sgd& optimizer, any_id_row ids, std::span<const float> gradients);
  /// One step of Adagrad, which keeps a sum of squares for each weight.
  void step(const sparse_adagrad& optimizer, any_id_row ids, std::span<const float> gradients);

  /// Create the state of Adagrad unless it exists; needed when restore() comes before the first
  /// step. Collective.
  void store_squares();

  /// Save and restore the weights and the state of the optimizer, as dist_tensor does.
  /// Collective.
  void save(const std::string& folder = {}) const;
  /// Read back what save() wrote. Collective.
  void restore(const any_file_opener& files, const std::string& folder = {}) {
    weights_.restore(files, folder);
    if (squares_) squares_->restore(files, folder);
  }

 private:
  template <class Init>
  static dist_tensor made(const dist_graph& graph, std::uint64_t rows, std::uint64_t width,
                          const std::string& name, const Init& init, const std::string& policy) {
    std::optional<dist_tensor> out;
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

  dist_tensor weights_;
  std::optional<dist_tensor> squares_{};  // Adagrad's sums of squares
};

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/dist/impl/dist_embedding.ipp>
#endif
