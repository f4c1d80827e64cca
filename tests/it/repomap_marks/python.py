CACHE = {}
LIMIT = 1
def pure(x):
    y = x
    return y
def keep(k, v):
    CACHE[k] = v
def count():
    global n
    n = 1
def load(p):
    with open(p) as f: return f
def start():
    subprocess.run(['x'])
def dial():
    requests.get(u)
async def later():
    pass
@app.route('/x')
def page():
    pass
if __name__ == '__main__':
    pure(1)
