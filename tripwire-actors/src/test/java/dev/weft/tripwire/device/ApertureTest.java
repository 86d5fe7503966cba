package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.tripwire.driver.MappedAperture;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.NetworkAddress;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.NicSnapshot;
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

/** Protection that seed 003 section 3.2 says its NIC lacked, and section 9 wants. */
@Tag("simulation")
class ApertureTest {
  private final VirtualPair pair = new VirtualPair(5);
  private final MemorySegment memory = pair.memory(3 * 4096 + 100);
  private final LocalAperture aperture = pair.far.export(memory);
  private final MappedAperture mapping = pair.near.map(aperture.descriptor(Rights.ALL));

  @AfterEach
  void close() {
    pair.close();
  }

  private int word(long offset) {
    return memory.get(ValueLayout.JAVA_INT, offset);
  }

  private Status read(MappedAperture from, long offset, MemorySegment into) {
    List<Status> done = new ArrayList<>();
    from.read(offset, into, 0, (int) into.byteSize(), done::add);
    pair.run();
    assertEquals(1, done.size());
    return done.getFirst();
  }

  private NicException refused(Runnable call) {
    return assertThrows(NicException.class, call::run);
  }

  @Test
  void shouldReadBackWhatWasWritten() {
    MemorySegment data = pair.memory(9000);
    for (int i = 0; i < 9000; i++) {
      data.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7));
    }
    assertTrue(mapping.write(1234, data, 0, 9000));
    MemorySegment back = pair.memory(9000);
    assertEquals(Status.OK, read(mapping, 1234, back));
    assertEquals(-1, data.mismatch(back));
  }

  @Test
  void shouldNotBeWrittenOnceItIsRevoked() {
    mapping.writeInt(0, 1);
    pair.run();
    mapping.writeInt(0, 2); // on its way
    aperture.revoke();
    pair.run();
    assertEquals(1, word(0));
    assertEquals(Status.REVOKED, mapping.status());
    assertEquals(Status.REVOKED, refused(() -> mapping.writeInt(0, 3)).status());
    LocalAperture next = pair.far.export(memory);
    MappedAperture stale = pair.near.map(aperture.descriptor(Rights.ALL));
    stale.writeInt(0, 4);
    pair.run();
    assertEquals(1, word(0), "the number is used again, the key is not");
    assertTrue(next.isOpen());
  }

  @Test
  void shouldStillSendStoresThatWereMadeBeforeTheirMappingWasUnmapped() {
    MemorySegment otherMemory = pair.memory(64);
    LocalAperture other = pair.far.export(otherMemory);
    MemorySegment data = pair.memory(8).fill((byte) 7);
    assertTrue(pair.near.stores().offer(mapping, 8, data, 0, 8, false)); // As another thread does, and the NIC does not look yet.
    mapping.unmap();
    MappedAperture next = pair.near.map(other.descriptor(Rights.ALL));
    assertTrue(pair.near.stores().offer(mapping, 16, data, 0, 8, false), "by one who had not seen that it was unmapped");
    assertEquals(List.of(next.number()), pair.near.inspect().mappings().stream().map(NicSnapshot.Mapping::number).toList());
    pair.run();
    assertEquals(0x07070707, word(8));
    assertEquals(0, otherMemory.get(ValueLayout.JAVA_LONG, 8), "through the mapping that came after");
    assertEquals(0, otherMemory.get(ValueLayout.JAVA_LONG, 16), "through the mapping that came after");
    assertEquals(mapping.number(), pair.near.map(other.descriptor(Rights.ALL)).number(), "the number is free again");
    assertTrue(pair.near.stores().offer(mapping, 24, data, 0, 8, false));
    pair.run();
    assertEquals(0, word(24), "too late");
    assertEquals(0, otherMemory.get(ValueLayout.JAVA_LONG, 24), "through the mapping that has its number now");
  }

  @Test
  void shouldNotTouchMemoryThatWasFreed() {
    Arena arena = Arena.ofShared();
    LocalAperture lent = pair.far.export(arena.allocate(4096));
    MappedAperture there = pair.near.map(lent.descriptor(Rights.WRITE));
    there.writeInt(0, 1);
    arena.close();
    pair.run();
    assertEquals(Status.REVOKED, there.status());
    mapping.writeInt(0, 5);
    pair.run();
    assertEquals(5, word(0), "others are not disturbed");
  }

  @Test
  void shouldGiveOnlyTheRightsOfTheDescriptor() {
    MappedAperture readOnly = pair.near.map(aperture.descriptor(Rights.READ));
    MappedAperture writeOnly = pair.near.map(aperture.descriptor(Rights.WRITE));
    assertEquals(Status.DENIED, refused(() -> readOnly.writeInt(0, 1)).status());
    assertEquals(Status.DENIED, refused(() -> writeOnly.read(0, memory, 0, 4, s -> {})).status());
    Descriptor honest = aperture.descriptor(Rights.READ);
    MappedAperture forged = pair.near.map(
        Descriptor.of(honest.lid(), honest.aperture(), honest.length(), Rights.WRITE, honest.key()));
    forged.writeInt(0, 1);
    pair.run();
    assertEquals(Status.DENIED, forged.status());
    MappedAperture guessed = pair.near.map(Descriptor.of(honest.lid(), honest.aperture(), honest.length(), Rights.ALL, 42));
    guessed.writeInt(0, 1);
    pair.run();
    assertEquals(Status.REVOKED, guessed.status());
    MappedAperture longer = pair.near.map(Descriptor.of(honest.lid(), honest.aperture(), 1 << 20, Rights.READ, honest.key()));
    assertEquals(Status.OUT_OF_RANGE, read(longer, memory.byteSize() - 4, pair.memory(8)));
    assertEquals(0, word(0));
    assertEquals(Status.OK, mapping.status());
  }

  @Test
  void shouldProtectAndMovePages() {
    MemorySegment page = pair.memory(4096);
    aperture.remap(4096, page);
    aperture.protect(8192, 4096, Rights.READ);
    mapping.write(4090, pair.memory(12).fill((byte) 9), 0, 12);
    pair.run();
    assertEquals(9, memory.get(ValueLayout.JAVA_BYTE, 4095));
    assertEquals(0, memory.get(ValueLayout.JAVA_BYTE, 4096));
    assertEquals(9, page.get(ValueLayout.JAVA_BYTE, 0));
    MemorySegment back = pair.memory(12);
    assertEquals(Status.OK, read(mapping, 4090, back));
    assertEquals(9, back.get(ValueLayout.JAVA_BYTE, 11));
    mapping.writeInt(8192 - 2, 1);
    pair.run();
    assertEquals(Status.DENIED, mapping.status());
    assertEquals(9, back.get(ValueLayout.JAVA_BYTE, 0));
    assertThrows(NicException.class, () -> aperture.remap(100, page));
    aperture.remap(3 * 4096, pair.memory(100));
  }

  @Test
  void shouldRefuseBytesThatAreNoDescriptor() {
    byte[] bytes = aperture.descriptor(Rights.ALL).toBytes();
    assertEquals(aperture.descriptor(Rights.ALL), Descriptor.fromBytes(bytes, 0));
    bytes[9] ^= 1;
    assertThrows(NicException.class, () -> Descriptor.fromBytes(bytes, 0));
    assertFalse(aperture.descriptor(Rights.ALL).toString().contains(Long.toString(aperture.descriptor(Rights.ALL).key())));
  }

  @Test
  void shouldRefuseDescriptorsOfApertureThatCannotBe() {
    for (long length : new long[] {-5, 0, NetworkAddress.OFFSET_LIMIT + 1}) {
      byte[] bytes = Descriptor.of(1, 1, length, Rights.ALL, 7).toBytes();
      assertEquals(Status.INVALID, assertThrows(NicException.class, () -> Descriptor.fromBytes(bytes, 0)).status());
    }
    Descriptor longest = Descriptor.of(1, 1, NetworkAddress.OFFSET_LIMIT, Rights.ALL, 7);
    assertEquals(longest, Descriptor.fromBytes(longest.toBytes(), 0));
  }

  @Test
  void shouldTakeNothingAfterAGap() {
    List<Integer> broken = new ArrayList<>();
    pair.far.onBroken(broken::add);
    pair.near.onBroken(broken::add);
    mapping.writeInt(0, 1);
    pair.run();
    pair.fabric.link("near/nic").setFaults(new LinkFaults(1, 0, 0, 0, 0));
    mapping.writeInt(4, 2);
    pair.fabric.system().runFor(100_000);
    pair.fabric.link("near/nic").setFaults(LinkFaults.NONE);
    mapping.writeInt(8, 3);
    pair.run();
    assertEquals(0, word(4));
    assertEquals(0, word(8), "or it would be seen without what was written before it");
    assertEquals(Status.BROKEN, mapping.status());
    assertEquals(List.of(pair.near.lid(), pair.far.lid()), broken);
    MappedAperture again = pair.near.map(aperture.descriptor(Rights.ALL));
    again.writeInt(8, 4);
    pair.run();
    assertEquals(4, word(8));
    assertEquals(Status.OK, again.status());
  }

  @Test
  void shouldFailAReadThatIsNotAnswered() {
    pair.fabric.link("far/nic").setPartitioned(true);
    assertEquals(Status.TIMED_OUT, read(mapping, 0, pair.memory(8)));
  }
}
