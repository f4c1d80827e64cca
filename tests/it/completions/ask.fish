source $argv[1]
for typed in $argv[2..]
    complete -C "yuangs-verify $typed" | string replace -r '\t.*' '' | string join ' '
end
