// SPDX-License-Identifier: BSL-1.0
// The program with a method of the user's own, from the installed package alone.
#include <halograph/cli.hpp>

struct odd_even {
  using part = std::uint16_t;
  static constexpr std::string_view name = "odd_even";
  part parts = 2;

  halograph::status assign(const auto& g, std::span<part> owner) const {
    if (const auto fits = halograph::check_parts<part>(parts, halograph::num_nodes(g), owner);
        !fits)
      return fits;
    for (std::size_t v = 0; v < owner.size(); ++v) owner[v] = static_cast<part>(v % parts);
    return halograph::status::ok;
  }
};

int main(int argc, char** argv) { return halograph::cli::run<odd_even>(argc, argv); }
