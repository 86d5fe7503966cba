package dev.weft.dsm.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.wire.DsmMessage.Refusal;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MessageCodecTest {
  /** Two of each kind of message, with every field different from its neighbours. */
  static Stream<DsmMessage> messages() throws ReflectiveOperationException {
    List<DsmMessage> all = new ArrayList<>();
    for (Class<?> kind : kinds(DsmMessage.class)) {
      all.add(message(kind, 1));
      all.add(message(kind, -2));
    }
    return all.stream();
  }

  private static List<Class<?>> kinds(Class<?> sealed) {
    List<Class<?>> kinds = new ArrayList<>();
    for (Class<?> permitted : sealed.getPermittedSubclasses()) {
      kinds.addAll(permitted.isSealed() ? kinds(permitted) : List.of(permitted));
    }
    return kinds;
  }

  private static DsmMessage message(Class<?> kind, int variant) throws ReflectiveOperationException {
    RecordComponent[] fields = kind.getRecordComponents();
    Object[] values = new Object[fields.length];
    for (int i = 0; i < fields.length; i++) {
      values[i] = value(fields[i].getType(), variant * (0x0102_0304 + i), i + variant);
    }
    Constructor<?> maker = kind.getDeclaredConstructor(Arrays.stream(fields).map(RecordComponent::getType).toArray(Class[]::new));
    return (DsmMessage) maker.newInstance(values);
  }

  private static Object value(Class<?> type, int number, int parity) {
    if (type == int.class) {
      return number;
    } else if (type == byte.class) {
      return (byte) number;
    } else if (type == long.class) {
      return number * 0x1_0000_0001L;
    } else if (type == boolean.class) {
      return (parity & 1) == 0;
    } else if (type == String.class) {
      return "näme " + number;
    } else if (type == Refusal.class) {
      return Refusal.values()[parity & 3];
    } else if (type.isEnum()) {
      return type.getEnumConstants()[parity & 1];
    }
    return new ObjectSpec(number, ObjectSpec.Kind.values()[parity & 3], "objéct", number * 3L, number * 5L, number * 7L, number + 1, number * 9L);
  }

  private static ByteBuffer encoded(DsmMessage message) {
    ByteBuffer bytes = ByteBuffer.allocate(MessageCodec.BYTES_MAX);
    MessageCodec.encode(message, bytes);
    return bytes.flip();
  }

  private static String refusalOf(ByteBuffer bytes) {
    return assertThrows(IllegalArgumentException.class, () -> MessageCodec.decode(bytes)).getMessage();
  }

  @ParameterizedTest
  @MethodSource("messages")
  void shouldReadWhatItHasWritten(DsmMessage message) {
    assertEquals(message, MessageCodec.decode(encoded(message)));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void shouldRefuseWhatIsCutShort(DsmMessage message) {
    ByteBuffer whole = encoded(message);
    for (int bytes = 0; bytes < whole.limit(); bytes++) {
      assertEquals("a message was cut short", refusalOf(whole.duplicate().limit(bytes)), bytes + " bytes of " + message);
    }
  }

  @ParameterizedTest
  @MethodSource("messages")
  void shouldRefuseWhatComesBehindAMessage(DsmMessage message) {
    ByteBuffer more = ByteBuffer.allocate(MessageCodec.BYTES_MAX + 1).put(encoded(message)).put((byte) 0).flip();
    assertTrue(refusalOf(more).startsWith("1 bytes after a message of code "));
  }

  @Test
  void shouldGiveEachKindACodeOfItsOwn() throws ReflectiveOperationException {
    assertEquals(kinds(DsmMessage.class).size(), messages().map(message -> encoded(message).get(0)).distinct().count());
  }

  @Test
  void shouldRefuseCodesThatNoMessageHas() throws ReflectiveOperationException {
    List<Byte> codes = messages().map(message -> encoded(message).get(0)).toList();
    for (int code = Byte.MIN_VALUE; code <= Byte.MAX_VALUE; code++) {
      if (!codes.contains((byte) code)) {
        assertEquals("no message has the code " + code, refusalOf(ByteBuffer.allocate(100).put(0, (byte) code)));
      }
    }
  }

  @Test
  void shouldBeLittleEndianWhateverTheBufferWas() {
    ByteBuffer bytes = ByteBuffer.allocate(9).order(ByteOrder.BIG_ENDIAN);
    MessageCodec.encode(new DsmMessage.Confirm(0x0102_0304, 5), bytes);
    assertEquals(List.of(10, 4, 3, 2, 1, 5, 0, 0, 0), Stream.iterate(0, i -> i + 1).limit(9).map(i -> (int) bytes.get(i)).toList());
  }

  @Test
  void shouldRefuseValuesThatAnEnumerationHasNot() {
    ByteBuffer result = encoded(new DsmMessage.DefineResult(1, 2, Refusal.NONE, ""));
    assertEquals("value 4, must be from 0 to 3", refusalOf(result.duplicate().put(9, (byte) 4)));
    assertEquals("value -1, must be from 0 to 3", refusalOf(result.duplicate().put(9, (byte) -1)));
  }

  @Test
  void shouldRefuseANameThatIsTooLong() {
    ObjectSpec spec = new ObjectSpec(1, ObjectSpec.Kind.LOCK, "x".repeat(ObjectName.BYTES_MAX), 0, 0, 0, 0, 1);
    ByteBuffer bytes = encoded(new DsmMessage.Defined(spec));
    int lengthAt = bytes.limit() - ObjectName.BYTES_MAX - 2; // And the empty site.
    assertEquals(ObjectName.BYTES_MAX, bytes.get(lengthAt));
    assertEquals("a text of 65 bytes, must be at most 64", refusalOf(bytes.put(lengthAt, (byte) 65)));
    assertEquals("a text of 255 bytes, must be at most 64", refusalOf(bytes.rewind().put(lengthAt, (byte) 255)));
  }

  @Test
  void shouldCutAnExplanationThatIsTooLongToWhatAMessageHolds() {
    DsmMessage.DefineResult longOne = new DsmMessage.DefineResult(1, -1, Refusal.BAD_REQUEST, "y".repeat(1000));
    DsmMessage.DefineResult read = (DsmMessage.DefineResult) MessageCodec.decode(encoded(longOne));
    assertEquals("y".repeat(160), read.text());
  }

  @Test
  void shouldFailInNoOtherWayWhateverTheBytesAre() {
    long seed = 20_260_701;
    Random random = new Random(seed);
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = new byte[random.nextInt(80)];
      random.nextBytes(bytes);
      if (bytes.length > 0) {
        bytes[0] = (byte) random.nextInt(60);
      }
      try {
        MessageCodec.decode(ByteBuffer.wrap(bytes));
      } catch (IllegalArgumentException refused) {
        continue;
      } catch (RuntimeException other) {
        throw new AssertionError("seed " + seed + ", number " + i + ": " + Arrays.toString(bytes), other);
      }
    }
  }
}
