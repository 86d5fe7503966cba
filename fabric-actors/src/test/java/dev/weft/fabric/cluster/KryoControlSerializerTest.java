package dev.weft.fabric.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.ExtendedActorSystem;
import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Adapter;
import com.typesafe.config.ConfigFactory;
import java.io.NotSerializableException;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("actor")
@Timeout(180)
class KryoControlSerializerTest {
  record Inner(int number, long wide, boolean flag) {}

  record Greeting(String text, ActorRef<String> from, List<Inner> list, byte[] bytes, Inner nothing)
      implements ControlMessage {}

  record Stranger(String text) implements ControlMessage {}

  record Carrier(Object anything) implements ControlMessage {}

  private static ActorTestKit kit;
  private static KryoControlSerializer serializer;

  @BeforeAll
  static void start() {
    kit = ActorTestKit.create("kryo", ConfigFactory.parseString("akka.actor.provider = local").withFallback(
        ConfigFactory.load()));
    ControlRegistry registry = new ControlRegistry().add(101, Greeting.class).add(102, Inner.class)
        .add(103, Carrier.class);
    serializer = new KryoControlSerializer((ExtendedActorSystem) Adapter.toClassic(kit.system()), registry);
  }

  @AfterAll
  static void stop() {
    kit.shutdownTestKit();
  }

  @Test
  void shouldReadBackAnEqualMessageFromADirectBufferAtAnyPosition() throws Exception {
    TestProbe<String> probe = kit.createTestProbe(String.class);
    List<Inner> list = new ArrayList<>(List.of(new Inner(-1, Long.MIN_VALUE, true), new Inner(7, 8, false)));
    Greeting sent = new Greeting("grüezi", probe.ref(), list, new byte[] {1, 2, 3}, null);
    ByteBuffer buffer = ByteBuffer.allocateDirect(4096).order(ByteOrder.LITTLE_ENDIAN);
    buffer.position(28);
    serializer.toBinary(sent, buffer);
    int end = buffer.position();
    assertTrue(end > 28);
    buffer.flip().position(28);

    Greeting read = (Greeting) serializer.fromBinary(buffer, "");

    assertEquals(sent.text(), read.text());
    assertEquals(sent.list(), read.list());
    assertArrayEquals(sent.bytes(), read.bytes());
    assertEquals(null, read.nothing());
    read.from().tell("hello");
    probe.expectMessage("hello");
    byte[] plain = serializer.toBinary(sent);
    assertEquals(end - 28, plain.length);
    assertEquals(sent.list(), ((Greeting) serializer.fromBinary(plain, "")).list());
  }

  @Test
  void shouldRefuseAClassThatNobodyRegistered() {
    var refused = assertThrows(IllegalArgumentException.class, () -> serializer.toBinary(new Stranger("x")));
    assertTrue(refused.getMessage().contains("Stranger"), refused.getMessage());
    assertThrows(IllegalArgumentException.class, () -> serializer.toBinary(new Carrier(new Stranger("x"))));
    assertThrows(IllegalArgumentException.class, () -> serializer.toBinary(new Carrier(Thread.currentThread())));
  }

  @Test
  void shouldReportAnOverflowWhenTheBufferIsTooShort() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(16);
    Greeting tooLong = new Greeting("a text that is longer than the buffer", null, List.of(), new byte[0], null);
    assertThrows(BufferOverflowException.class, () -> serializer.toBinary(tooLong, buffer));
  }

  @Test
  void shouldRefuseBytesThatAreNotAMessage() {
    long seed = 20261121;
    Random random = new Random(seed);
    byte[] good = serializer.toBinary(new Greeting("text", null, List.of(new Inner(1, 2, true)), new byte[9], null));
    for (int i = 0; i < good.length; i++) {
      byte[] cut = Arrays.copyOf(good, i);
      assertThrows(NotSerializableException.class, () -> serializer.fromBinary(cut, ""), "cut at " + i);
    }
    for (int i = 0; i < 2000; i++) {
      byte[] noise = new byte[random.nextInt(64)];
      random.nextBytes(noise);
      try {
        serializer.fromBinary(noise, "");
      } catch (NotSerializableException expected) {
        continue;
      } catch (Throwable other) {
        throw new AssertionError("seed " + seed + " round " + i + ": " + Arrays.toString(noise), other);
      }
    }
  }

  @Test
  void shouldRefuseAnIdOrAClassThatIsTaken() {
    ControlRegistry registry = new ControlRegistry().add(101, Inner.class);
    assertThrows(IllegalArgumentException.class, () -> registry.add(101, Carrier.class));
    assertThrows(IllegalArgumentException.class, () -> registry.add(102, Inner.class));
    assertThrows(IllegalArgumentException.class, () -> registry.add(99, Carrier.class));
  }
}
