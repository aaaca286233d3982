// The node of an intrusive list. It removes itself without knowing the list.
#pragma once

namespace weft::core {
template <class Node> struct Linked {
    Node *next = nullptr, **back = nullptr;  // back: the pointer to this node; null: in no list
    void link(Node*& list) {
        next = list;
        if (next) next->back = &next;
        back = &list;
        list = static_cast<Node*>(this);
    }
    void unlink() {
        if (!back) return;
        *back = next;
        if (next) next->back = back;
        back = nullptr;
    }
};
}
