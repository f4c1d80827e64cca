local count = 0
function pure(x) return x end
function next_one() count = count + 1 end
function share() _G.shared = 1 end
function load_it() io.open("a") end
function start() os.execute("a") end
function dial() socket.tcp() end
function later() coroutine.create(pure) end
