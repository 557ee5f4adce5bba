// SPDX-License-Identifier: BSL-1.0
/// @file widths.ipp
/// The job at the usual widths of IDs, for the compiled library: header-only programs instantiate
/// what they use.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/pipeline/measure.hpp>
#include <halograph/pipeline/part_column_writer.hpp>
#include <halograph/pipeline/part_columns.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/pipeline/partition_plan.hpp>
#include <halograph/pipeline/partition_writer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#if HALOGRAPH_COMPILED
namespace halograph {

template class part_columns<std::uint32_t, std::uint32_t>;
template class part_column_writer<std::uint32_t, std::uint32_t>;
template class part_columns<std::uint32_t, std::uint64_t>;
template class part_column_writer<std::uint32_t, std::uint64_t>;
template class part_columns<std::uint64_t, std::uint64_t>;
template class part_column_writer<std::uint64_t, std::uint64_t>;

template void judge_into(quality_report&, std::span<const part_id>, std::size_t,
                         std::span<const constraint>);
template void measure_into(quality_report&, const hetero_view<std::uint32_t, std::uint32_t>&,
                           std::span<const part_id>, std::size_t, std::span<const constraint>,
                           executor_ref);
template void measure_into(quality_report&, const hetero_view<std::uint64_t, std::uint64_t>&,
                           std::span<const part_id>, std::size_t, std::span<const constraint>,
                           executor_ref);

template csc_arrays<std::uint32_t, std::uint32_t> build_csc<std::uint32_t, std::uint32_t>(
    const hetero_view<std::uint32_t, std::uint32_t>&, const sequential&);
template csc_arrays<std::uint64_t, std::uint64_t> build_csc<std::uint64_t, std::uint64_t>(
    const hetero_view<std::uint64_t, std::uint64_t>&, const sequential&);

namespace detail {

template partition_plan<std::uint32_t, std::uint32_t> fill_partition_plan(
    partition_plan<std::uint32_t, std::uint32_t>, bool, const partition_plan_options&, executor_ref,
    const node_order_ref<std::uint32_t, std::uint32_t>&,
    function_ref<csc_arrays<std::uint32_t, std::uint32_t>()>,
    function_ref<relabeled_rows<std::uint32_t, std::uint32_t>(
        std::span<const std::uint32_t>, std::span<const std::uint32_t>, bool)>);
template partition_plan<std::uint32_t, std::uint32_t> plan_of_graph(
    const hetero_view<std::uint32_t, std::uint32_t>&, std::vector<part_id>, std::size_t,
    const partition_plan_options&, executor_ref,
    const node_order_ref<std::uint32_t, std::uint32_t>&);
template class partition_writer<std::uint32_t, std::uint32_t>;
template partition_result run_partition_job(const partition_steps<std::uint32_t, std::uint32_t>&,
                                            std::uint64_t, std::string_view, std::string_view,
                                            const graph_schema&, feature_set_ref, const any_target&,
                                            const partition_options&);
template partition_plan<std::uint32_t, std::uint64_t> fill_partition_plan(
    partition_plan<std::uint32_t, std::uint64_t>, bool, const partition_plan_options&, executor_ref,
    const node_order_ref<std::uint32_t, std::uint64_t>&,
    function_ref<csc_arrays<std::uint32_t, std::uint64_t>()>,
    function_ref<relabeled_rows<std::uint32_t, std::uint64_t>(
        std::span<const std::uint32_t>, std::span<const std::uint32_t>, bool)>);
template class partition_writer<std::uint32_t, std::uint64_t>;
template partition_result run_partition_job(const partition_steps<std::uint32_t, std::uint64_t>&,
                                            std::uint64_t, std::string_view, std::string_view,
                                            const graph_schema&, feature_set_ref, const any_target&,
                                            const partition_options&);
template partition_plan<std::uint64_t, std::uint64_t> fill_partition_plan(
    partition_plan<std::uint64_t, std::uint64_t>, bool, const partition_plan_options&, executor_ref,
    const node_order_ref<std::uint64_t, std::uint64_t>&,
    function_ref<csc_arrays<std::uint64_t, std::uint64_t>()>,
    function_ref<relabeled_rows<std::uint64_t, std::uint64_t>(
        std::span<const std::uint64_t>, std::span<const std::uint64_t>, bool)>);
template partition_plan<std::uint64_t, std::uint64_t> plan_of_graph(
    const hetero_view<std::uint64_t, std::uint64_t>&, std::vector<part_id>, std::size_t,
    const partition_plan_options&, executor_ref,
    const node_order_ref<std::uint64_t, std::uint64_t>&);
template class partition_writer<std::uint64_t, std::uint64_t>;
template partition_result run_partition_job(const partition_steps<std::uint64_t, std::uint64_t>&,
                                            std::uint64_t, std::string_view, std::string_view,
                                            const graph_schema&, feature_set_ref, const any_target&,
                                            const partition_options&);

}  // namespace detail

}  // namespace halograph
#endif
