package dev.weft.pvfs.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CapabilityKeyTest {
  private static final Capability READER = new Capability(42, Capability.READ, 7, 1000);

  private final CapabilityKey key = new CapabilityKey(new byte[32]);

  private static ByteBuffer encoded(CapabilityKey key, Capability capability) {
    ByteBuffer out = ByteBuffer.allocate(CapabilityKey.ENCODED_BYTES);
    key.encode(capability, out);
    return out.flip();
  }

  @Test
  void shouldReadWhatItMarkedAndNothingElse() {
    ByteBuffer wire = encoded(key, READER);
    assertEquals(READER, key.decode(wire.duplicate(), 999));
    assertNull(new CapabilityKey(new byte[16]).decode(encoded(new CapabilityKey(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}),
        READER), 0));
    for (int bit = 0; bit < CapabilityKey.ENCODED_BYTES * 8; bit++) {
      byte[] forged = wire.array().clone();
      forged[bit / 8] ^= (byte) (1 << bit % 8);
      assertNull(key.decode(ByteBuffer.wrap(forged), 0), "bit " + bit);
    }
  }

  @Test
  void shouldExpire() {
    assertNull(key.decode(encoded(key, READER), 1000));
    Capability late = new Capability(1, Capability.READ, 1, Long.MIN_VALUE + 5);
    assertEquals(late, key.decode(encoded(key, late), Long.MAX_VALUE), "the clock may pass the largest number");
  }

  @Test
  void shouldAllowWhatItSaysForItsInodeOnly() {
    assertTrue(READER.allows(42, Capability.READ));
    assertFalse(READER.allows(43, Capability.READ));
    assertFalse(READER.allows(42, Capability.READ | Capability.WRITE));
  }

  @Test
  void shouldTakeGarbageAsInvalid() {
    Random random = new Random(1);
    for (int round = 0; round < 2000; round++) {
      byte[] garbage = new byte[random.nextInt(100)];
      random.nextBytes(garbage);
      assertNull(key.decode(ByteBuffer.wrap(garbage), 0));
    }
  }

  @Test
  void shouldWriteAndReadWhereTheBufferIs() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(3 + 2 * CapabilityKey.ENCODED_BYTES).position(3);
    key.encode(READER, buffer);
    key.encode(new Capability(1, 0, 2, 3), buffer);
    assertEquals(0, buffer.remaining());
    buffer.position(3);
    assertEquals(READER, key.decode(buffer, 0));
    assertEquals(2, key.decode(buffer, 0).session());
  }

  @Test
  void shouldRefuseAShortKeyAndUnknownAccess() {
    assertEquals("a capability key has 3 bytes, must have at least 16",
        assertThrows(IllegalArgumentException.class, () -> new CapabilityKey(new byte[3])).getMessage());
    assertEquals("access is 0x10, must be bits of 0xf", assertThrows(IllegalArgumentException.class, () -> new Capability(1, 16, 1, 1)).getMessage());
  }
}
