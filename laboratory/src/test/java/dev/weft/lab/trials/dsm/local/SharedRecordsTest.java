package dev.weft.lab.trials.dsm.local;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.Consistency;
import dev.weft.dsm.OtherShapeException;
import dev.weft.dsm.SharedRecords;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.node.DsmNode;
import dev.weft.hca.node.LocalFabric;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("actor")
@Timeout(180)
class SharedRecordsTest {
  private static final StructLayout BODY = MemoryLayout.structLayout(JAVA_LONG.withName("id"),
      MemoryLayout.structLayout(JAVA_DOUBLE.withName("x"), JAVA_DOUBLE.withName("y")).withName("place"), JAVA_INT.withName("left"), JAVA_INT.withName("right"),
      MemoryLayout.sequenceLayout(3, JAVA_LONG).withName("tail"));
  private static final VarHandle ID = BODY.varHandle(PathElement.groupElement("id"));
  private static final VarHandle RIGHT = BODY.varHandle(PathElement.groupElement("right"));

  private final LocalSpace space = LocalSpace.forThreads();
  private final SharedRecords bodies = space.records("bodies", 10, BODY, SharingUnit.elements(2));

  @Test
  void shouldKeepFieldsApart() {
    bodies.longField("id").set(3, 33);
    bodies.doubleField(PathElement.groupElement("place"), PathElement.groupElement("y")).set(3, -1.5);
    bodies.intField("left").set(3, -7);
    bodies.intField("right").set(3, 8);
    bodies.longField(PathElement.groupElement("tail"), PathElement.sequenceElement(2)).set(3, Long.MIN_VALUE);
    assertEquals(33, bodies.longField("id").get(3));
    assertEquals(-1.5, bodies.doubleField(PathElement.groupElement("place"), PathElement.groupElement("y")).get(3));
    assertEquals(0.0, bodies.doubleField(PathElement.groupElement("place"), PathElement.groupElement("x")).get(3));
    assertEquals(-7, bodies.intField("left").get(3));
    assertEquals(8, bodies.intField("right").get(3));
    assertEquals(Long.MIN_VALUE, bodies.longField(PathElement.groupElement("tail"), PathElement.sequenceElement(2)).get(3));
    assertEquals(0, bodies.longField("id").get(2));
    assertEquals(0, bodies.longField("id").get(4));
  }

  @Test
  void shouldChangeFieldsInOneStep() {
    assertEquals(0, bodies.longField("id").getAndAdd(0, 5));
    assertTrue(bodies.longField("id").compareAndSet(0, 5, 6));
    assertFalse(bodies.longField("id").compareAndSet(0, 5, 7));
    assertEquals(6, bodies.longField("id").get(0));
    assertEquals(0, bodies.intField("right").getAndAdd(0, -2));
    assertTrue(bodies.intField("right").compareAndSet(0, -2, 9));
    assertFalse(bodies.intField("right").compareAndSet(0, -2, 9));
    assertEquals(9, bodies.intField("right").get(0));
    assertEquals(0, bodies.intField("left").get(0));
    assertEquals(0.0, bodies.doubleField(PathElement.groupElement("place"), PathElement.groupElement("x")).getAndAdd(0, 0.25));
    assertEquals(0.25, bodies.doubleField(PathElement.groupElement("place"), PathElement.groupElement("x")).get(0));
  }

  @Test
  void shouldLayRecordsOutAsTheLayoutSays() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment record = arena.allocate(BODY);
      ID.set(record, 0L, 12L);
      RIGHT.set(record, 0L, 13);
      bodies.write(9, record);
      assertEquals(12, bodies.longField("id").get(9));
      assertEquals(13, bodies.intField("right").get(9));
      assertEquals(0, bodies.intField("left").get(9));
      bodies.longField("id").set(9, 14);
      bodies.read(9, record);
      assertEquals(14L, (long) ID.get(record, 0L));
      assertEquals(13, (int) RIGHT.get(record, 0L));
      assertThrows(IndexOutOfBoundsException.class, () -> bodies.write(9, record.asSlice(8)));
      assertThrows(IndexOutOfBoundsException.class, () -> bodies.read(10, record));
    }
  }

  @Test
  void shouldSayWhatIsWrongWithALayout() {
    assertTrue(assertThrows(IllegalArgumentException.class, () -> space.records("odd", 3, MemoryLayout.structLayout(JAVA_INT.withName("a")),
        SharingUnit.elements(1))).getMessage().contains("end the layout with MemoryLayout.paddingLayout(4)"));
    assertEquals("layout", assertThrows(NullPointerException.class, () -> space.records("none", 3, null, SharingUnit.whole())).getMessage());
    assertEquals("unit", assertThrows(NullPointerException.class, () -> space.records("none", 3, BODY, null)).getMessage());
    assertThrows(IllegalArgumentException.class, () -> bodies.longField("nothing"));
    assertThrows(IllegalArgumentException.class, () -> bodies.longField("left"));
    assertThrows(IllegalArgumentException.class, () -> bodies.doubleField("id"));
    SharedRecords swapped = space.records("swapped", 1, MemoryLayout.structLayout(JAVA_LONG.withName("a").withOrder(
        ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN)), SharingUnit.whole());
    assertThrows(IllegalArgumentException.class, () -> swapped.longField("a"));
    assertThrows(IllegalArgumentException.class, () -> space.records("none", 0, BODY, SharingUnit.whole()));
    assertThrows(IllegalArgumentException.class, () -> space.records("all", Long.MAX_VALUE, BODY, SharingUnit.whole()));
    assertThrows(IllegalArgumentException.class, () -> space.records("wide", 1, BODY, SharingUnit.elements(Long.MAX_VALUE)));
    assertThrows(IndexOutOfBoundsException.class, () -> bodies.intField("left").get(-1));
    assertThrows(IndexOutOfBoundsException.class, () -> bodies.intField("left").set(10, 1));
    assertThrows(IndexOutOfBoundsException.class, () -> bodies.prefetch(9, 2));
  }

  @Test
  void shouldSpeakOfRecordsWhereAnArrayOfAnotherLengthIsThere() {
    assertSpeaksOfRecords(space);
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.dsm.memory = 1 MiB\nweft.hca.pin-memory = false"));
        DsmNode zero = DsmNode.join(fabric, fabric.addNode("host-0"), "test", "host-0");
        DsmNode one = DsmNode.join(fabric, fabric.addNode("host-1"), "test", "host-0")) {
      zero.records("bodies", 10, BODY, SharingUnit.elements(2));
      assertSpeaksOfRecords(one);
    }
  }

  private static void assertSpeaksOfRecords(SharedSpace space) {
    assertEquals("\"bodies\" is 10 records of 56 bytes, and was asked for as 11 records of 56 bytes; in words, "
        + "\"bodies\" is longs of length 70 in minipages of 112 bytes, and was asked for as longs of length 77 in minipages of 112 bytes",
        refusal(space, "bodies", 11, SharingUnit.elements(2)));
    assertEquals("\"bodies\" is 10 records of 56 bytes, and was asked for as 10 records of 56 bytes; in words, "
        + "\"bodies\" is longs of length 70 in minipages of 112 bytes, and was asked for as longs of length 70 in minipages of 56 bytes",
        refusal(space, "bodies", 10, SharingUnit.elements(1)));
    space.longs("odd", 8, SharingUnit.bytes(8));
    assertEquals("\"odd\" is no array of records of 56 bytes, and was asked for as 1 records of 56 bytes; in words, "
        + "\"odd\" is longs of length 8 in minipages of 8 bytes, and was asked for as longs of length 7 in minipages of 56 bytes",
        refusal(space, "odd", 1, SharingUnit.whole()));
    space.doubles("doubles", 7, SharingUnit.whole());
    assertEquals("\"doubles\" is no array of records of 56 bytes, and was asked for as 1 records of 56 bytes; in words, "
        + "\"doubles\" is doubles of length 7 in minipages of 56 bytes, and was asked for as longs of length 7 in minipages of 56 bytes",
        refusal(space, "doubles", 1, SharingUnit.whole()));
  }

  private static String refusal(SharedSpace space, String name, long length, SharingUnit unit) {
    return assertThrows(OtherShapeException.class, () -> space.records(name, length, BODY, unit)).getMessage();
  }

  @Test
  void shouldRefuseAtomicsWithReleaseConsistency() {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.dsm.memory = 1 MiB\nweft.hca.pin-memory = false"));
        DsmNode node = DsmNode.join(fabric, fabric.addNode("host-0"), "test", "host-0")) {
      SharedRecords records = node.records("bodies", 4, BODY, SharingUnit.whole(), Consistency.RELEASE);
      records.longField("id").set(1, 5);
      assertEquals(5, records.longField("id").get(1));
      assertThrows(UnsupportedOperationException.class, () -> records.intField("left").set(1, 1));
      assertThrows(UnsupportedOperationException.class, () -> records.intField("left").compareAndSet(1, 7, 1));
      assertThrows(UnsupportedOperationException.class, () -> records.longField("id").getAndAdd(1, 1));
    }
  }

  /** The two halves of one word are fields of different nodes' threads. */
  @Test
  void shouldLoseNoWriteToTheOtherHalfOfAWord() throws Exception {
    int rounds = 2_000;
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.dsm.memory = 1 MiB\nweft.hca.pin-memory = false"));
        DsmNode zero = DsmNode.join(fabric, fabric.addNode("host-0"), "test", "host-0");
        DsmNode one = DsmNode.join(fabric, fabric.addNode("host-1"), "test", "host-0")) {
      List<FutureTask<Void>> tasks = new ArrayList<>();
      for (DsmNode node : List.of(zero, one)) {
        SharedRecords records = node.records("bodies", 4, BODY, SharingUnit.elements(1));
        SharedRecords.IntField own = records.intField(node == zero ? "left" : "right");
        FutureTask<Void> task = new FutureTask<>(() -> {
          for (int i = 0; i < rounds; i++) {
            assertEquals(i, own.get(2));
            own.set(2, i + 1);
          }
          return null;
        });
        tasks.add(task);
        Thread.ofPlatform().start(task);
      }
      for (FutureTask<Void> task : tasks) {
        task.get();
      }
      SharedRecords records = one.records("bodies", 4, BODY, SharingUnit.elements(1));
      assertEquals(rounds, records.intField("left").get(2));
      assertEquals(rounds, records.intField("right").get(2));
      assertEquals(0, records.longField("id").get(2));
    }
  }
}
