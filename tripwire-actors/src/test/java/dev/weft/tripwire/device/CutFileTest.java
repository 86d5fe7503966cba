package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.memory.CutFile;
import dev.weft.tripwire.driver.MappedAperture;
import dev.weft.tripwire.nic.DmaQueue;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file is cut short under memory that a NIC uses: what needs it fails, and nothing else. */
@Tag("simulation")
class CutFileTest {
  private final CutFile file = new CutFile();
  private VirtualPair pair = new VirtualPair(5);
  private MemorySegment memory;
  private MappedAperture good;

  @AfterEach
  void close() {
    pair.close();
    file.close();
  }

  private void use(VirtualPair other) {
    pair.close();
    pair = other;
  }

  private void open() {
    memory = pair.memory(CutFile.BYTES);
    good = pair.near.map(pair.far.export(memory).descriptor(Rights.ALL));
    good.writeInt(0, 1);
    pair.run();
  }

  private void assertOthersGoOn() {
    good.writeInt(8, 42);
    pair.run();
    assertEquals(42, memory.get(ValueLayout.JAVA_INT, 8));
    assertEquals(Status.OK, good.status());
  }

  private Status read(MappedAperture from, MemorySegment into) {
    List<Status> done = new ArrayList<>();
    from.read(0, into, 0, (int) into.byteSize(), done::add);
    pair.run();
    assertEquals(1, done.size());
    return done.getFirst();
  }

  @Test
  void shouldRefuseAWriteIntoIt() {
    open();
    MappedAperture there = pair.near.map(pair.far.export(file.memory()).descriptor(Rights.ALL));
    file.cut();
    there.write(0, pair.memory(9000), 0, 9000);
    pair.run();
    assertEquals(Status.REVOKED, there.status());
    assertOthersGoOn();
  }

  @Test
  void shouldRefuseAReadOutOfIt() {
    open();
    MappedAperture there = pair.near.map(pair.far.export(file.memory()).descriptor(Rights.ALL));
    file.cutTo(4096);
    assertEquals(Status.REVOKED, read(there, pair.memory(CutFile.BYTES)));
    assertOthersGoOn();
  }

  @Test
  void shouldEndAReadIntoIt() {
    open();
    file.cutTo(4096);
    assertEquals(Status.INVALID, read(good, file.memory()));
    assertOthersGoOn();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldEndATransferOutOfIt(boolean copies) {
    use(new VirtualPair(5, LinkFaults.NONE, "weft.tripwire.dma-copies = " + copies));
    open();
    file.cutTo(4096);
    List<Status> done = new ArrayList<>();
    DmaQueue queue = pair.near.endpoint(1).dma().onDone((userData, status) -> done.add(status));
    assertTrue(queue.write(good, 0, file.memory(), 0, CutFile.BYTES, 0));
    assertTrue(queue.write(good, 0, pair.memory(9000), 0, 9000, 1));
    pair.run();
    assertEquals(List.of(Status.INVALID, Status.OK), done);
    assertOthersGoOn();
  }

  @Test
  void shouldRefuseAStoreOfIt() {
    open();
    Arena arena = Arena.ofShared();
    MemorySegment freed = arena.allocate(8);
    arena.close();
    file.cut();
    // As the hardware thread does, and as another thread.
    assertEquals(Status.INVALID, assertThrows(NicException.class, () -> good.write(0, file.memory(), 0, 8)).status());
    assertEquals(Status.INVALID,
        assertThrows(NicException.class, () -> pair.near.stores().offer(good, 0, file.memory(), 0, 8, false)).status());
    assertThrows(IllegalStateException.class, () -> pair.near.stores().offer(good, 0, freed, 0, 8, false));
    assertTrue(pair.near.stores().offer(good, 16, pair.memory(8).fill((byte) 7), 0, 8, false), "the ring of stores is not blocked");
    pair.run();
    assertEquals(0x07070707, memory.get(ValueLayout.JAVA_INT, 16));
    assertOthersGoOn();
  }
}
