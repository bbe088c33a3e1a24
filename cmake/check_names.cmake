# Fails when C++ names what a data file describes: an optimizer, an adapter, an implementation, an engine, a GPU, an
# architecture, a dialect, a model or a maker's brand as a string. Such knowledge belongs into the file of that name
# (CONTRIBUTING.md, "Knowledge is data"). What has to stay is listed here, each with its reason.
#   cmake -DROOT=<repository> -P check_names.cmake
cmake_minimum_required(VERSION 3.22)

# What may stay, at most twelve lines: "<file>:<word>", with the reason.
set(allowed
  model/model_names.cpp:unsloth # Words that tell how weights were released belong to how names are compared, as
  model/model_names.cpp:lora    # their spelling does; the index of names is built with them, before there is a
  model/model_names.cpp:qlora   # catalog.
  model/model_names.cpp:dora
  model/model_names.cpp:llava   # A word by which a name is of another network than its other words say.
  model/model_names.cpp:mamba   # Likewise.
  model/base_names.cpp:unet     # Likewise, around the network whose name stands in front of it.
  lint/twins.cpp:lora           # Part of a key's name ("lora_alpha"), not the name of a method.
  plan/fact_table.cpp:unsloth)  # The name of a fact.
set(most_allowed 12)

# Ids that are plain words of the code too, where they name nothing.
set(ordinary adapter prompt generic foreign frameworks)

set(words unsloth)
foreach(folder knowledge/optimizers knowledge/adapters knowledge/implementations knowledge/engines
        hardware_db/gpus hardware_db/architectures dialects)
  file(GLOB files RELATIVE ${ROOT}/${folder} ${ROOT}/${folder}/*.yaml)
  list(APPEND words ${files})
endforeach()
file(GLOB_RECURSE models RELATIVE ${ROOT} ${ROOT}/model_db/*.yaml)
foreach(model IN LISTS models)
  string(REGEX REPLACE "^.*/" "" name ${model})
  list(APPEND words ${name})
endforeach()
list(TRANSFORM words REPLACE "\\.yaml$" "")
file(STRINGS ${ROOT}/knowledge/words/gpu-brands.yaml brands REGEX "^words:")
string(REGEX REPLACE "^words:" "" brands "${brands}")
string(REGEX MATCHALL "[a-z]+" brands "${brands}")
list(APPEND words ${brands})
list(REMOVE_ITEM words ${ordinary})
list(REMOVE_DUPLICATES words)
list(LENGTH words count)
if(count LESS 300)
  message(FATAL_ERROR "only ${count} names were found below ${ROOT}: the check looks at nothing")
endif()

list(LENGTH allowed number)
if(number GREATER most_allowed)
  message(SEND_ERROR "${number} names are allowed in C++; the limit is ${most_allowed}")
endif()
file(GLOB_RECURSE sources RELATIVE ${ROOT}/src ${ROOT}/src/*.h ${ROOT}/src/*.cpp)
foreach(source IN LISTS sources)
  file(READ ${ROOT}/src/${source} text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REGEX MATCHALL "\"[A-Za-z0-9_.+-]+\"" literals "${text}")
  string(REPLACE "\"" "" literals "${literals}")
  string(TOLOWER "${literals}" literals)
  list(REMOVE_DUPLICATES literals)
  foreach(literal IN LISTS literals)
    if(literal IN_LIST words)
      list(APPEND found ${source}:${literal})
    endif()
  endforeach()
endforeach()
foreach(name IN LISTS found)
  if(NOT name IN_LIST allowed)
    message(SEND_ERROR "src/${name} is the name of a data file; what follows from it belongs into that file")
  endif()
endforeach()
foreach(name IN LISTS allowed)
  if(NOT name IN_LIST found)
    message(SEND_ERROR "${name} is allowed and no longer there: take it off the list")
  endif()
endforeach()
