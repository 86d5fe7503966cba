package dev.weft.fabric.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;

/** Valid packets with random contents, from a seed. */
public final class RandomPackets {
  private static final long SEED = Long.getLong("weft.seed", 20_261_121L);

  /** All opcodes of the fabric, in ascending order. */
  public static final int[] OPCODES = IntStream.range(0, 256).filter(Opcode::isKnown).toArray();

  private final RandomGenerator random;

  public RandomPackets(RandomGenerator random) {
    this.random = random;
  }

  /** The seed of {@code -Dweft.seed}, printed so that a failure can be run again. */
  public static RandomGenerator seeded(String test) {
    System.out.println(test + ": -Dweft.seed=" + SEED);
    return RandomGeneratorFactory.of("L64X128MixRandom").create(SEED);
  }

  /** One of the opcodes that there are. */
  public int opcode() {
    return OPCODES[random.nextInt(OPCODES.length)];
  }

  /** A packet of {@code opcode} with a payload of {@code payloadLength} bytes if the opcode carries one. */
  public Packet next(int opcode, int payloadLength) {
    return with(opcode, Opcode.hasPayload(opcode) ? payload(payloadLength) : Payload.EMPTY);
  }

  /** Fields that the opcode does not carry are zero. */
  public Packet with(int opcode, Payload payload) {
    boolean reth = Opcode.hasReth(opcode);
    boolean atomic = Opcode.hasAtomicEth(opcode);
    boolean aeth = Opcode.hasAeth(opcode);
    boolean burst = Opcode.hasBurst(opcode);
    boolean swap = atomic || Opcode.hasAtomicAckEth(opcode);
    return new Packet(opcode, random.nextInt(1, 0xc000), random.nextInt(1, 0xc000), random.nextInt(16),
        random.nextBoolean(), random.nextBoolean(), random.nextInt(0x10000), random.nextInt(2, 1 << 24),
        burst ? 0 : random.nextInt(1 << 24), reth || atomic || burst ? random.nextLong() : 0,
        reth || atomic || Opcode.hasIeth(opcode) ? random.nextInt() : 0,
        reth ? random.nextInt() : 0, aeth ? random.nextInt(32) : 0, aeth ? random.nextInt(1 << 24) : 0,
        Opcode.hasImmDt(opcode) || burst ? random.nextInt() : Opcode.hasFeth(opcode) ? random.nextInt(Packet.FETH_MASK + 1) : 0,
        swap ? random.nextLong() : 0, atomic || burst ? random.nextLong() : 0, Opcode.hasDeth(opcode) ? random.nextInt() : 0,
        Opcode.hasDeth(opcode) ? random.nextInt(1 << 24) : 0, payload);
  }

  /** {@code length} random bytes in one piece, at an odd offset of a larger segment. */
  public Payload payload(int length) {
    byte[] bytes = new byte[length + 3];
    random.nextBytes(bytes);
    return Payload.of(MemorySegment.ofArray(bytes), 1, length);
  }

  public static byte[] bytes(Payload payload) {
    byte[] bytes = new byte[payload.length()];
    payload.copyTo(MemorySegment.ofArray(bytes), 0, new CopyCounter());
    return bytes;
  }

  static void assertSame(Packet want, Packet got) {
    assertEquals(without(want), without(got));
    assertArrayEquals(bytes(want.payload()), bytes(got.payload()));
  }

  private static Packet without(Packet p) {
    return p.with(Payload.EMPTY);
  }
}
