#pragma once
#include "macros.hpp"

#define SHARED(name) \
    static name &get(); /* the only one */ \
    static bool exists();

STORE_NAMESPACE_BEGIN

/// A table on disk.
class STORE_EXPORT Table final : public Base {
public:
    SHARED(Table)

    Table() = default;
    Table(const Table &) = delete;
    Table &operator=(const Table &) = delete;
    [[nodiscard]] bool is_open() const { return open_; }

    // Waits for the lock.
    void lock() ACQUIRE(mutex_) { mutex_.lock(); }
    void unlock() RELEASE(mutex_);
    STORE_NON_NULL(2)
    explicit Table(const char *path) : path_(path) {}
    STORE_DEPRECATED("use size") STORE_INLINE int length() const noexcept STORE_PURE { return size(); }

STORE_PRIVATE_UNLESS_TESTED:
    struct STORE_ALIGN(16) Slot { int key; };
    class Cursor;
    bool open_ = false;
};

class Table::Cursor {
    int at;
};

template <typename T>
struct STORE_EXPORT Pair {
    T first, second;
    STORE_EXPLICIT operator bool() const { return true; }
};

STORE_EXPORT Table *STORE_CALL open_table(const char *path);
STORE_EXPORT const std::string &name_of(const Table &table) STORE_NOEXCEPT;

STORE_TEMPLATE_DECLARATION
class Registry {
    STORE_BOOL has(int key) { return key > LIMIT; }
};

enum class STORE_EXPORT Mode : int { Read, Write };

BOOL WINAPI on_load(HINSTANCE instance) { return TRUE; }

STORE_DEFINE_TYPE(Pair, first, second)

STORE_NAMESPACE_END
