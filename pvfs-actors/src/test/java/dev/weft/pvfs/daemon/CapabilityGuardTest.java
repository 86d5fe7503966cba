package dev.weft.pvfs.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Capability;
import dev.weft.pvfs.wire.CapabilityKey;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonRequest;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class CapabilityGuardTest {
  private static final byte[] KEY = "0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
  private static final long FILE = 42;
  private static final long CLIENT = 7;

  private final VerifiedCapabilities verified = new VerifiedCapabilities();
  private long nowNs = 100;
  private final CapabilityGuard guard = new CapabilityGuard(KEY, () -> nowNs);

  private static byte[] mark(Capability capability) {
    ByteBuffer out = ByteBuffer.allocate(CapabilityKey.ENCODED_BYTES);
    new CapabilityKey(KEY).encode(capability, out);
    return out.array();
  }

  private int check(DaemonOp op, long object, byte[] shown) {
    DaemonRequest request = new DaemonRequest();
    request.op = op;
    request.object = object;
    System.arraycopy(shown, 0, request.capability, 0, shown.length);
    return guard.check(verified, request);
  }

  private int check(DaemonOp op, Capability capability) {
    return check(op, FILE, mark(capability));
  }

  @Test
  void shouldLetThroughWhatTheManagerHasAllowedAndNothingElse() {
    Capability reader = new Capability(FILE, Capability.READ, CLIENT, 200);
    Capability writer = new Capability(FILE, Capability.WRITE, CLIENT, 200);
    assertEquals(Errno.OK, check(DaemonOp.READ, reader));
    assertEquals(Errno.OK, check(DaemonOp.SYNC, reader));
    assertEquals(Errno.OK, check(DaemonOp.WRITE, writer));
    assertEquals(Errno.OK, check(DaemonOp.SYNC, writer));
    assertEquals(Errno.EACCES, check(DaemonOp.READ, writer));
    for (DaemonOp op : new DaemonOp[] {DaemonOp.WRITE, DaemonOp.TRUNCATE, DaemonOp.PUNCH, DaemonOp.EXTEND}) {
      assertEquals(Errno.EACCES, check(op, reader), op.name());
      assertEquals(Errno.OK, check(op, writer), op.name());
    }
    assertEquals(Errno.EACCES, check(DaemonOp.READ, FILE + 1, mark(reader)), "of another file");
    assertEquals(Errno.EACCES, check(DaemonOp.READ, FILE, new byte[CapabilityKey.ENCODED_BYTES]), "none");
  }

  @Test
  void shouldRefuseOneThatWasChangedAlsoBehindOneThatWasRight() {
    byte[] right = mark(new Capability(FILE, Capability.READ, CLIENT, 200));
    assertEquals(Errno.OK, check(DaemonOp.READ, FILE, right));
    for (int at = 0; at < right.length; at++) {
      byte[] forged = right.clone();
      forged[at] ^= 2;
      assertEquals(Errno.EACCES, check(DaemonOp.READ, FILE, forged), "byte " + at);
      assertEquals(Errno.EACCES, check(DaemonOp.WRITE, FILE, forged), "byte " + at);
    }
    assertEquals(Errno.OK, check(DaemonOp.READ, FILE, right));
  }

  @Test
  void shouldSayOfOneThatHasExpiredThatItIsStaleAlsoIfItWasSeenBefore() {
    Capability reader = new Capability(FILE, Capability.READ, CLIENT, 200);
    assertEquals(Errno.OK, check(DaemonOp.READ, reader));
    nowNs = 200;
    assertEquals(Errno.ESTALE, check(DaemonOp.READ, reader));
    assertEquals(Errno.ESTALE, check(DaemonOp.READ, FILE + 1, mark(new Capability(FILE + 1, Capability.READ, CLIENT, 3))));
    assertEquals(Errno.OK, check(DaemonOp.READ, new Capability(FILE, Capability.READ, CLIENT, 201)), "a newer one");
  }

  @Test
  void shouldLetTheManagerAloneRemoveListAndCheck() {
    Capability all = new Capability(FILE, Capability.ACCESS_MASK, CLIENT, 200);
    Capability managers = new Capability(FILE, Capability.ACCESS_MASK, Capability.MANAGER, 200);
    for (DaemonOp op : new DaemonOp[] {DaemonOp.REMOVE, DaemonOp.LIST, DaemonOp.SCRUB}) {
      assertEquals(Errno.EACCES, check(op, all), op.name());
      assertEquals(Errno.OK, check(op, managers), op.name());
    }
  }

  @Test
  void shouldTellEverybodyLengthsAndRoomAndAskNothingWithoutAKey() {
    byte[] none = new byte[CapabilityKey.ENCODED_BYTES];
    assertEquals(Errno.OK, check(DaemonOp.STAT, FILE, none));
    assertEquals(Errno.OK, check(DaemonOp.STATFS, FILE, none));
    DaemonRequest request = new DaemonRequest();
    request.op = DaemonOp.WRITE;
    assertEquals(Errno.OK, new CapabilityGuard(null, () -> 0).check(verified, request));
  }

  @Test
  void shouldRememberNoMoreThanItMay() {
    for (long object = 0; object < 3L * VerifiedCapabilities.MAX; object++) {
      assertEquals(Errno.OK, check(DaemonOp.READ, object, mark(new Capability(object, Capability.READ, CLIENT, 200))));
    }
    assertEquals(Errno.OK, check(DaemonOp.READ, 0, mark(new Capability(0, Capability.READ, CLIENT, 200))));
  }
}
