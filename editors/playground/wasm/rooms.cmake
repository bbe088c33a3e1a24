# The rooms of a page: what starts processes, opens drivers or asks a terminal stays behind, and so do the reports on it.
set(not_in_pages disk host device probe lsp cli)
list(REMOVE_ITEM GPULINT_ROOMS ${not_in_pages})
foreach(room IN LISTS GPULINT_ROOMS)
  list(REMOVE_ITEM GPULINT_ROOM_${room} ${not_in_pages})
endforeach()
set(GPULINT_LEFT_OUT "/base/platform[a-z_]*\\.cpp$|/report/(confirm|host|merged)_[a-z]+\\.cpp$|/report/format\\.cpp$")
