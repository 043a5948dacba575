package io.iwarp.examples;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes event loops of any transport that never sleep: they are told each time that there is other work to do. */
final class BusyPolling implements IoHandlerFactory {
    private final IoHandlerFactory handlers;

    /**
     * @param handlers those of the transport
     */
    BusyPolling(IoHandlerFactory handlers) {
        this.handlers = handlers;
    }

    @Override
    public IoHandler newHandler(ThreadAwareExecutor loop) {
        return new Handler(handlers.newHandler(loop));
    }

    @Override
    public boolean isChangingThreadSupported() {
        return handlers.isChangingThreadSupported();
    }

    /** One event loop's. */
    private static final class Handler implements IoHandler {
        private final IoHandler handler;
        private final Context context = new Context();

        Handler(IoHandler handler) {
            this.handler = handler;
        }

        @Override
        public int run(IoHandlerContext loop) {
            context.loop = loop;
            return handler.run(context);
        }

        @Override
        public void initialize() {
            handler.initialize();
        }

        @Override
        public void prepareToDestroy() {
            handler.prepareToDestroy();
        }

        @Override
        public void destroy() {
            handler.destroy();
        }

        @Override
        public IoRegistration register(IoHandle handle) throws Exception {
            return handler.register(handle);
        }

        @Override
        public void wakeup() {
            handler.wakeup();
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
            return handler.isCompatible(handleType);
        }
    }

    /** The event loop as it is, except that its handler must not sleep. */
    private static final class Context implements IoHandlerContext {
        private @Nullable IoHandlerContext loop;

        private IoHandlerContext loop() {
            return Objects.requireNonNull(loop);
        }

        @Override
        public boolean canBlock() {
            return false;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            return loop().delayNanos(currentTimeNanos);
        }

        @Override
        public long deadlineNanos() {
            return loop().deadlineNanos();
        }

        @Override
        public void reportActiveIoTime(long activeNanos) {
            loop().reportActiveIoTime(activeNanos);
        }

        @Override
        public boolean shouldReportActiveIoTime() {
            return loop().shouldReportActiveIoTime();
        }
    }
}
