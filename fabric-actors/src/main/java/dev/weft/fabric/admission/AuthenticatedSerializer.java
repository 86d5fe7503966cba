package dev.weft.fabric.admission;

import akka.actor.ExtendedActorSystem;
import akka.event.slf4j.Slf4jLoggingFilter;
import akka.serialization.Serializer;
import akka.serialization.SerializerWithStringManifest;
import akka.serialization.Serializers;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValueFactory;
import java.io.NotSerializableException;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces another serializer of control messages, also Akka's own, and adds an authentication code to its bytes. It rejects bytes without
 * the right code before the other serializer gets them. So a message from a sender that does not know the fabric's secret is never
 * deserialized, whatever its type and recipient are. Any thread.
 *
 * <p>The code covers the serializer's number, the manifest and the bytes. It does not cover the recipient, and does not prevent replays.
 */
public final class AuthenticatedSerializer extends SerializerWithStringManifest {
  private static final Logger LOG = LoggerFactory.getLogger(AuthenticatedSerializer.class);
  private static final SeldomLog SELDOM = new SeldomLog();
  private static final SeldomLog SELDOM_UNREADABLE = new SeldomLog();
  private static final AtomicLong REFUSALS = new AtomicLong();
  private static final String FILTER = "akka.logging-filter";
  private static final String SERIALIZERS = "akka.actor.serializers";
  private static final String INNER = "weft.fabric.cluster.authenticated-serializers";
  /** Name of Akka's Java serializer. It is not replaced: it rejects everything if Java serialization is off, and Akka identifies it by its class. */
  private static final String JAVA = "java";

  private final ExtendedActorSystem system;
  private final Serializer inner;
  private final MessageCode code;

  /** Called by Akka. */
  public AuthenticatedSerializer(ExtendedActorSystem system, String name) {
    this(system, make(system, system.settings().config().getString(INNER + "." + ConfigUtil.quoteString(name))),
        system.settings().setup().get(FabricKeys.class)
            .orElseThrow(() -> new IllegalStateException("the actor system was not given the fabric's keys")));
  }

  AuthenticatedSerializer(ExtendedActorSystem system, Serializer inner, FabricKeys keys) {
    this.system = system;
    this.inner = inner;
    code = keys.control();
  }

  /**
   * Returns {@code config} with this class in the place of every serializer except Java's, and with {@link QuietRefusals} unless it has a logging
   * filter of its own. The actor system needs {@link FabricKeys} as a setup.
   */
  public static Config inPlaceOfAll(Config config) {
    boolean isUsual = config.getString(FILTER).equals(Slf4jLoggingFilter.class.getName());
    Config all = isUsual ? config.withValue(FILTER, ConfigValueFactory.fromAnyRef(QuietRefusals.class.getName())) : config;
    for (var entry : config.getObject(SERIALIZERS).unwrapped().entrySet()) {
      String name = ConfigUtil.quoteString(entry.getKey());
      if (!entry.getKey().equals(JAVA)) {
        all = all.withValue(INNER + "." + name, ConfigValueFactory.fromAnyRef(entry.getValue()))
            .withValue(SERIALIZERS + "." + name, ConfigValueFactory.fromAnyRef(AuthenticatedSerializer.class.getName()));
      }
    }
    return all;
  }

  private static Serializer make(ExtendedActorSystem system, String className) {
    try {
      Class<?> type = Class.forName(className, true, system.dynamicAccess().classLoader());
      for (var constructor : type.getConstructors()) {
        if (Arrays.equals(constructor.getParameterTypes(), new Class<?>[] {ExtendedActorSystem.class})) {
          return (Serializer) constructor.newInstance(system);
        }
      }
      return (Serializer) type.getConstructor().newInstance();
    } catch (InvocationTargetException e) {
      throw new IllegalStateException("the serializer " + className + " cannot be made: " + e.getCause().getMessage(), e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the serializer " + className + " cannot be made: " + e, e);
    }
  }

  /** Returns how many messages all serializers of this JVM have rejected because of their code. Any thread. */
  public static long refusals() {
    return REFUSALS.get();
  }

  @Override
  public int identifier() {
    return inner.identifier();
  }

  @Override
  public String manifest(Object message) {
    return Serializers.manifestFor(inner, message);
  }

  @Override
  public byte[] toBinary(Object message) {
    byte[] bytes = inner.toBinary(message);
    byte[] whole = Arrays.copyOf(code.of(head(manifest(message)), bytes), MessageCode.LENGTH + bytes.length);
    System.arraycopy(bytes, 0, whole, MessageCode.LENGTH, bytes.length);
    return whole;
  }

  /** @throws NotSerializableException if the code is wrong or missing */
  @Override
  public Object fromBinary(byte[] whole, String manifest) throws NotSerializableException {
    byte[] bytes = whole.length < MessageCode.LENGTH ? null : Arrays.copyOfRange(whole, MessageCode.LENGTH, whole.length);
    if (bytes == null || !code.matches(Arrays.copyOf(whole, MessageCode.LENGTH), head(manifest), bytes)) {
      onRefusal();
      throw new NotSerializableException("it does not come from this fabric: its authentication code is wrong or missing");
    }
    try {
      return read(bytes, manifest);
    } catch (NotSerializableException | RuntimeException e) {
      if (SELDOM_UNREADABLE.mayLog()) {
        LOG.error("a message of this fabric cannot be read: serializer {}, manifest {}", identifier(), manifest, e);
      }
      throw e;
    }
  }

  /** Counts a rejected message and sometimes logs it. {@link QuietRefusals} suppresses Akka's own log of each. */
  private static void onRefusal() {
    long count = REFUSALS.incrementAndGet();
    if (SELDOM.mayLog()) {
      LOG.warn("dropped a control message that does not come from this fabric: its authentication code is wrong or missing ({} so far)",
          count);
    }
  }

  private Object read(byte[] bytes, String manifest) throws NotSerializableException {
    if (inner instanceof SerializerWithStringManifest byManifest) {
      return byManifest.fromBinary(bytes, manifest);
    }
    return inner.includeManifest() ? inner.fromBinary(bytes, classOf(manifest)) : inner.fromBinary(bytes);
  }

  private Class<?> classOf(String manifest) throws NotSerializableException {
    try {
      return Class.forName(manifest, true, system.dynamicAccess().classLoader());
    } catch (ClassNotFoundException e) {
      throw new NotSerializableException("unknown class " + manifest);
    }
  }

  /** Returns the head that the code covers. It contains its own length, so that no byte of the manifest can count as one of the message. */
  private byte[] head(String manifest) {
    byte[] text = manifest.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(2 * Integer.BYTES + text.length).putInt(identifier()).putInt(text.length).put(text).array();
  }
}
