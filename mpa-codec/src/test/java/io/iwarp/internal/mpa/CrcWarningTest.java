package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.LogCapture;
import io.iwarp.testing.Requirement;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Settings without CRC warn once in a process. Each test loads the settings anew, as other tests may have warned
 * before.
 */
class CrcWarningTest {
    @RegisterExtension
    final LogCapture log = new LogCapture(MpaSettings.class.getName());

    private final Fresh loader = new Fresh();

    /** Loads {@link MpaSettings} and what belongs to it a second time; all else is what the test sees. */
    private static final class Fresh extends ClassLoader {
        Fresh() {
            super(CrcWarningTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.iwarp.mpa.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    /** What an application does. */
    static final class Application {
        private Application() {}

        static void build(boolean crc) {
            MpaSettings.builder().crc(crc).build();
        }
    }

    private void build(boolean crc) throws ReflectiveOperationException {
        try {
            var application = loader.loadClass(Application.class.getName()).getDeclaredMethod("build", boolean.class);
            application.setAccessible(true);
            application.invoke(null, crc);
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause());
        }
    }

    @Test
    @Requirement("MPA-34")
    void firstSettingsWithoutCrcLogAWarning() throws Exception {
        build(false);
        build(false);

        assertThat(log.events()).extracting(ILoggingEvent::getLevel).containsExactly(Level.WARN);
        assertThat(log.messages().get(0))
                .contains("CRC32C off", "registered memory", "Use crc(true), the default, unless", "TLS");
    }

    @Test
    @Requirement("MPA-34")
    void settingsWithCrcSayNothing() throws Exception {
        build(true);
        assertThat(log.events()).isEmpty();
    }
}
