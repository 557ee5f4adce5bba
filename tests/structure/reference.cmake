# SPDX-License-Identifier: BSL-1.0
# cmake -DSOURCE=... -DWORK=... -DDOXYGEN=... -P reference.cmake
# The API reference is made without a warning, and holds what it should.
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(ENV{HALOGRAPH_DOCS} "${WORK}")
execute_process(COMMAND "${DOXYGEN}" tests/Doxyfile WORKING_DIRECTORY "${SOURCE}"
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0 OR output MATCHES "warning:|error:")
  message(FATAL_ERROR "the API reference is not made without a warning (${result}):\n${output}")
endif()
file(READ "${WORK}/html/namespacehalograph.html" text)
foreach(name expand_halo partition_graph partitioner owner_map gz_files mapped_files nlohmann_codec tbb_threads basic_metis duckdb_options basic_random_parts)
  if(NOT text MATCHES ">${name}<|> ${name} |>${name} |&#160;${name}")
    message(FATAL_ERROR "the API reference does not know ${name}")
  endif()
endforeach()
file(GLOB details "${WORK}/html/*halograph_1_1detail*")
if(details)
  message(FATAL_ERROR "the API reference shows details: ${details}")
endif()
