package dev.weft.fabric.cluster;

import akka.actor.ExtendedActorSystem;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorRefResolver;
import akka.actor.typed.javadsl.Adapter;
import akka.serialization.ByteBufferSerializer;
import akka.serialization.SerializerWithStringManifest;
import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.ByteBufferInput;
import com.esotericsoftware.kryo.io.ByteBufferOutput;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.KryoBufferOverflowException;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.util.Pool;
import java.io.NotSerializableException;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Serializes control messages with Kryo, directly into Artery's buffers. Only registered classes pass, in both directions. If
 * the stream has an unknown class id, deserialization fails before it creates an object of it. Any thread: each call takes a
 * Kryo instance from a pool.
 */
public final class KryoControlSerializer extends SerializerWithStringManifest implements ByteBufferSerializer {
  /** Akka's id of this serializer; 0 to 40 are Akka's own. */
  public static final int IDENTIFIER = 7701;

  private static final int ID_ACTOR_REF = 10;
  private static final int ID_LIST = 11;
  private static final int ID_BYTE_ARRAY = 12;
  private static final int LIST_SIZE_MAX = 1 << 16;
  private static final int DEPTH_MAX = 32;
  private static final int BYTES_MAX = 1 << 20;
  private static final int POOL_MAX = 8;

  private final ExtendedActorSystem system;
  private final ControlRegistry registry;
  private final Pool<ControlKryo> pool = new Pool<>(true, false, POOL_MAX) {
    @Override
    protected ControlKryo create() {
      return new ControlKryo();
    }
  };

  /** Called by Akka, through {@code akka.actor.serializers}. */
  public KryoControlSerializer(ExtendedActorSystem system) {
    this(system, ControlRegistry.load());
  }

  KryoControlSerializer(ExtendedActorSystem system, ControlRegistry registry) {
    this.system = system;
    this.registry = registry;
  }

  @Override
  public int identifier() {
    return IDENTIFIER;
  }

  /** Returns an empty string, because the bytes begin with the class id. */
  @Override
  public String manifest(Object message) {
    return "";
  }

  /**
   * Writes a message.
   *
   * @throws IllegalArgumentException if a class in the message is not registered; the text names it
   * @throws BufferOverflowException if the rest of the buffer is too short for the message
   */
  @Override
  public void toBinary(Object message, ByteBuffer buffer) {
    ByteBufferOutput output = new ByteBufferOutput();
    output.setBuffer(buffer, buffer.limit());
    write(message, output);
    buffer.position(output.position());
  }

  @Override
  public byte[] toBinary(Object message) {
    Output output = new Output(256, BYTES_MAX);
    write(message, output);
    return output.toBytes();
  }

  private void write(Object message, Output output) {
    ControlKryo kryo = pool.obtain();
    try {
      kryo.writeClassAndObject(output, message);
    } catch (KryoBufferOverflowException e) {
      throw (BufferOverflowException) new BufferOverflowException().initCause(e);
    } catch (KryoException e) {
      throw new IllegalArgumentException("cannot send " + message.getClass().getName() + ": " + e.getMessage(), e);
    } finally {
      pool.free(kryo);
    }
  }

  /** @throws NotSerializableException if the bytes are not what {@link #toBinary} wrote */
  @Override
  public Object fromBinary(ByteBuffer buffer, String manifest) throws NotSerializableException {
    ByteBufferInput input = new ByteBufferInput();
    input.setBuffer(buffer);
    return read(input);
  }

  /** @throws NotSerializableException if the bytes are not what {@link #toBinary} wrote */
  @Override
  public Object fromBinary(byte[] bytes, String manifest) throws NotSerializableException {
    return read(new Input(bytes));
  }

  private Object read(Input input) throws NotSerializableException {
    ControlKryo kryo = pool.obtain();
    try {
      return kryo.readClassAndObject(input);
    } catch (RuntimeException e) {
      NotSerializableException refused = new NotSerializableException("not a control message: " + e.getMessage());
      refused.initCause(e);
      throw refused;
    } finally {
      pool.free(kryo);
    }
  }

  private static void writeText(Output output, String text) {
    writeBytes(output, text.getBytes(StandardCharsets.UTF_8));
  }

  private static String readText(Input input) {
    return new String(readBytes(input), StandardCharsets.UTF_8);
  }

  private static void writeBytes(Output output, byte[] bytes) {
    output.writeVarInt(bytes.length, true);
    output.writeBytes(bytes);
  }

  /** Checks the length before it allocates. Kryo's own serializers trust the length in the stream. */
  private static byte[] readBytes(Input input) {
    int length = input.readVarInt(true);
    int left = input.limit() - input.position();
    if (length < 0 || length > left) {
      throw new KryoException("length " + length + " but " + left + " bytes are left");
    }
    return input.readBytes(length);
  }

  /** A Kryo with the registered classes; it has one serializer for all lists, and one for all actor references. */
  private final class ControlKryo extends Kryo {
    private final Registration actorRefs;
    private final Registration lists;

    ControlKryo() {
      setRegistrationRequired(true);
      setReferences(false);
      setMaxDepth(DEPTH_MAX);
      actorRefs = register(new Registration(ActorRef.class, new ActorRefSerializer(), ID_ACTOR_REF));
      lists = register(new Registration(List.class, new ListSerializer(), ID_LIST));
      register(byte[].class, new BytesSerializer(), ID_BYTE_ARRAY);
      register(String.class, new TextSerializer());
      registry.forEach((id, type) -> register(type, id));
    }

    @Override
    @SuppressWarnings("rawtypes") // Kryo declares it so.
    public Registration getRegistration(Class type) {
      if (ActorRef.class.isAssignableFrom(type)) {
        return actorRefs;
      }
      return List.class.isAssignableFrom(type) ? lists : super.getRegistration(type);
    }
  }

  private final class ActorRefSerializer extends Serializer<ActorRef<?>> {
    ActorRefSerializer() {
      setImmutable(true);
    }

    @Override
    public void write(Kryo kryo, Output output, ActorRef<?> reference) {
      writeText(output, resolver().toSerializationFormat(reference));
    }

    @Override
    public ActorRef<?> read(Kryo kryo, Input input, Class<? extends ActorRef<?>> type) {
      return resolver().resolveActorRef(readText(input));
    }

    /** Not stored in a field, because the typed system does not exist yet when Akka creates its serializers. */
    private ActorRefResolver resolver() {
      return ActorRefResolver.get(Adapter.toTyped(system));
    }
  }

  private static final class BytesSerializer extends Serializer<byte[]> {
    @Override
    public void write(Kryo kryo, Output output, byte[] bytes) {
      writeBytes(output, bytes);
    }

    @Override
    public byte[] read(Kryo kryo, Input input, Class<? extends byte[]> type) {
      return readBytes(input);
    }
  }

  private static final class TextSerializer extends Serializer<String> {
    TextSerializer() {
      setImmutable(true);
    }

    @Override
    public void write(Kryo kryo, Output output, String text) {
      writeText(output, text);
    }

    @Override
    public String read(Kryo kryo, Input input, Class<? extends String> type) {
      return readText(input);
    }
  }

  /** Reads back any list as an unmodifiable one. */
  private static final class ListSerializer extends Serializer<List<?>> {
    @Override
    public void write(Kryo kryo, Output output, List<?> list) {
      output.writeVarInt(list.size(), true);
      for (Object element : list) {
        kryo.writeClassAndObject(output, element);
      }
    }

    @Override
    public List<?> read(Kryo kryo, Input input, Class<? extends List<?>> type) {
      int size = input.readVarInt(true);
      if (size < 0 || size > LIST_SIZE_MAX) {
        throw new KryoException("list of " + size + " elements, at most " + LIST_SIZE_MAX + " are accepted");
      }
      List<Object> list = new ArrayList<>(Math.min(size, 1024));
      for (int i = 0; i < size; i++) {
        list.add(kryo.readClassAndObject(input));
      }
      return List.copyOf(list);
    }
  }
}
