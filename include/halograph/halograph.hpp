// SPDX-License-Identifier: BSL-1.0
/// @file halograph.hpp
/// Everything that needs the standard library alone, layer by layer.
/// Layer: above all but the adapters. Words: README.md.
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/id_range.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/random.hpp>
#include <halograph/core/search.hpp>
#include <halograph/core/status.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/core/version.hpp>
#include <halograph/graph/build.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/graph/coo.hpp>
#include <halograph/graph/csr.hpp>
#include <halograph/graph/hetero.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/schema/type_offsets.hpp>
#include <halograph/partition/assign.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/partition/partitioner.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/range.hpp>
#include <halograph/halo/cut_edges.hpp>
#include <halograph/halo/expand.hpp>
#include <halograph/halo/members.hpp>
#include <halograph/relabel/plan.hpp>
#include <halograph/relabel/relabel_edges.hpp>
#include <halograph/relabel/relabel_nodes.hpp>
#include <halograph/relabel/unshuffle.hpp>
#include <halograph/book/range_map.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/pipeline/config.hpp>
#include <halograph/pipeline/dataset.hpp>
