// A bell: one coroutine waits for it, any thread rings it.
//
//     Bell bell;
//     bell.ring();                        // from any thread; rung twice before somebody listens, it counts once
//     auto rung = bell.wait();
//     co_await std::move(rung);           // at once, if it was rung before
//
// Copies are the same bell. Whoever waits is resumed on its own loop; its cancellation ends the wait. A second one who
// waits for the same bell takes the place of the first, who is resumed as if it had been rung.
#pragma once
#include "engine/asio.hpp"
#include <boost/asio/post.hpp>
#include <memory>
#include <mutex>

namespace weft {
class Bell {
public:
    Bell() : state_(std::make_shared<State>()) {}
    void ring() const { state_->ring(); }
    auto wait() const {
        return asio::async_initiate<const asio::deferred_t&, void(boost::system::error_code)>(
            [](auto handler, std::shared_ptr<State> state) { State::listen(state, std::move(handler)); },
            asio::deferred, state_);
    }

private:
    struct Listener {
        virtual ~Listener() = default;
        virtual void resume(std::unique_ptr<Listener> self, boost::system::error_code) = 0;
    };
    template <class Handler> struct ListenerOf final : Listener {
        explicit ListenerOf(Handler h) : handler(std::move(h)) {}
        void resume(std::unique_ptr<Listener> self, boost::system::error_code error) override {
            const auto executor = asio::get_associated_executor(handler);
            asio::post(executor, [self = std::move(self), error]() mutable {
                auto handler = std::move(static_cast<ListenerOf&>(*self).handler);
                self.reset();
                std::move(handler)(error);
            });
        }
        Handler handler;
    };
    struct State {
        void ring() {
            std::unique_ptr<Listener> who;
            {
                std::lock_guard lock(mutex);
                who = std::move(listener);
                rung = !who;
            }
            wake(std::move(who), {});
        }
        template <class Handler> static void listen(const std::shared_ptr<State>& state, Handler handler) {
            if (auto slot = asio::get_associated_cancellation_slot(handler); slot.is_connected())
                slot.assign([weak = std::weak_ptr(state)](asio::cancellation_type) {
                    if (const auto self = weak.lock()) self->cancel();
                });
            std::unique_ptr<Listener> who(new ListenerOf<Handler>(std::move(handler)));
            {
                std::lock_guard lock(state->mutex);
                if (!state->rung) std::swap(who, state->listener);
                state->rung = false;
            }
            wake(std::move(who), {});
        }
        void cancel() {
            std::unique_ptr<Listener> who;
            {
                std::lock_guard lock(mutex);
                who = std::move(listener);
            }
            wake(std::move(who), asio::error::operation_aborted);
        }
        static void wake(std::unique_ptr<Listener> who, boost::system::error_code error) {
            if (!who) return;
            auto& listener = *who;
            listener.resume(std::move(who), error);
        }
        std::mutex mutex;
        std::unique_ptr<Listener> listener;
        bool rung = false;
    };
    std::shared_ptr<State> state_;
};
}
