" A plugin for gardens.
if exists('g:loaded_garden')
  finish
endif
let g:loaded_garden = 1

let s:plants = []
const s:LIMIT = 10

" Plants something, "Gemüse".
" It grows.
function! garden#plant(name, ...) abort
  let depth = get(a:, 1, 3)
  call add(s:plants, [a:name, depth])
  return len(s:plants)
endfunction

function s:Water() range
  for plant in s:plants
    echo plant
  endfor
endfunction

func! g:Harvest()
  return "🎉"
endfunc

let s:bed = {}
function s:bed.size() dict
  return 3
endfunction

function! s:Size2()
  return "größe"
endfunction

" How one plants by hand.
command! -nargs=1 Plant call garden#plant(<q-args>)

augroup garden
  autocmd!
  autocmd BufRead *.garden setlocal filetype=garden
augroup END

nnoremap <silent> <leader>p :Plant rose<CR>

highlight GardenPlant ctermfg=green

if has('nvim')
  function! s:OnlyHere() abort
    return v:true
  endfunction
endif
