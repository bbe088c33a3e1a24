# Fails when a page or a comment names a file of the repository that is not there: links of Markdown, and words such as
# `src/plan/run.cpp`, `plan/run.cpp` or `docs/models.md`.  cmake -DROOT=<repository> -P check_paths.cmake
cmake_minimum_required(VERSION 3.22)

# Folders whose files are named from the root; rooms of src/ are named without it.
set(top bench ci cmake dialects docs editors examples hardware_db knowledge model_db packaging rules scripts src tests tools)
file(GLOB rooms RELATIVE ${ROOT}/src ${ROOT}/src/*)
list(FILTER rooms EXCLUDE REGEX "\\.")
list(JOIN top "|" top_words)
list(JOIN rooms "|" room_words)
set(path_characters "[A-Za-z0-9_./*-]")
# A file of PyTorch that lies in a folder named like one of ours.
set(elsewhere tools/autograd/derivatives.yaml)
# Tells of files of other projects.
set(about_others docs/found.md)

# Sets `missing` to the words of `text` that name no file below `base`. A name with `*` is missing when nothing matches it.
function(missing_files base words out)
  set(missing)
  foreach(word IN LISTS words)
    string(REGEX REPLACE "[.:]+$" "" word "${word}")
    if(word MATCHES "\\*")
      file(GLOB found "${base}/${word}")
    elseif(EXISTS "${base}/${word}")
      set(found yes)
    else()
      set(found)
    endif()
    if(NOT found)
      list(APPEND missing ${word})
    endif()
  endforeach()
  set(${out} ${missing} PARENT_SCOPE)
endfunction()

# Files and folders that `text` names, by the root or by the room; what holds a placeholder (<id>) is none.
function(check_words file text)
  string(REGEX MATCHALL "(^|[ (`\"])(${top_words})/${path_characters}*[A-Za-z0-9_*/]" words "${text}")
  list(TRANSFORM words REPLACE "^[ (`\"\n]" "")
  missing_files(${ROOT} "${words}" missing)
  string(REGEX MATCHALL "(^|[ (`\"])(${room_words})/[a-z0-9_*]+\\.(h|cpp)" inside "${text}")
  list(TRANSFORM inside REPLACE "^[ (`\"\n]" "")
  missing_files(${ROOT}/src "${inside}" missing_inside)
  foreach(word IN LISTS missing missing_inside)
    if(word IN_LIST elsewhere)
      continue()
    endif()
    message(SEND_ERROR "${file} names ${word}, which is not there")
  endforeach()
endfunction()

file(GLOB pages RELATIVE ${ROOT} ${ROOT}/*.md ${ROOT}/docs/*.md ${ROOT}/bench/*/*.md ${ROOT}/tools/*.md
     ${ROOT}/editors/*/*.md ${ROOT}/packaging/*.md)
list(REMOVE_ITEM pages CHANGELOG.md)  # it speaks of what was
foreach(page IN LISTS pages)
  file(READ ${ROOT}/${page} text)
  string(REPLACE "](" " @link " text "${text}")
  string(REGEX REPLACE "[][\n;]" " " text "${text}")  # what CMake's lists are made of
  string(REGEX MATCHALL "@link [^)#: ]+" links "${text}")
  list(TRANSFORM links REPLACE "^@link " "")
  string(REGEX REPLACE "```[^`]*```" " " plain "${text}")  # samples; tests/tools runs their commands
  string(REGEX REPLACE "[^ ]* @link [^)]*" " " plain "${plain}")
  string(REGEX REPLACE "<[^>]*>" "*" plain "${plain}")
  if(NOT page IN_LIST about_others)
    check_words(${page} "${plain}")
  endif()
  get_filename_component(folder ${ROOT}/${page} DIRECTORY)
  missing_files(${folder} "${links}" missing)
  foreach(link IN LISTS missing)
    message(SEND_ERROR "${page} links to ${link}, which is not there")
  endforeach()
endforeach()

file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/src/*.h ${ROOT}/src/*.cpp ${ROOT}/tests/*.h ${ROOT}/tests/*.cpp)
foreach(source IN LISTS sources)
  file(READ ${ROOT}/${source} comments)
  string(REGEX REPLACE "[][;]" " " comments "${comments}")
  string(REGEX MATCHALL "//[^\n]*" comments "${comments}")
  string(REGEX REPLACE "[;[]" " " text "${comments}")
  string(REGEX REPLACE "<[^>]*>" "*" text "${text}")
  check_words(${source} "${text}")
endforeach()
