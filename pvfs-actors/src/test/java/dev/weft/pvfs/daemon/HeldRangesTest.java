package dev.weft.pvfs.daemon;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import org.junit.jupiter.api.Test;

class HeldRangesTest {
  private final HeldRanges held = new HeldRanges();

  private static DaemonOperation op(DaemonOp what, Band band, boolean isChecked, long offset, int bytes) {
    DaemonOperation op = new DaemonOperation(null);
    op.request.op = what;
    op.request.band = band;
    op.request.isChecked = isChecked;
    op.request.object = 7;
    op.request.file.add(offset, bytes);
    return op;
  }

  private static DaemonOperation read(Band band) {
    return op(DaemonOp.READ, band, true, 50, 100);
  }

  private static DaemonOperation write(Band band) {
    return op(DaemonOp.WRITE, band, true, 50, 100);
  }

  @Test
  void shouldKeepWritersFromWhatIsReadByRdma() {
    DaemonOperation read = op(DaemonOp.READ, Band.SERVER, true, 0, 100);
    held.hold(read);
    for (Band band : Band.values()) {
      assertTrue(held.delays(write(band)), band::toString);
      assertTrue(held.delays(op(DaemonOp.WRITE, band, false, 50, 100)), band::toString);
      assertFalse(held.delays(op(DaemonOp.WRITE, band, true, 100, 100)), "it is beside that");
      assertFalse(held.delays(read(band)), "two may read");
    }
    DaemonOperation other = write(Band.INLINE);
    other.request.object = 8;
    assertFalse(held.delays(other));
    assertTrue(held.holds(7));
    assertFalse(held.holds(8));
    held.release(read);
    assertFalse(held.delays(write(Band.INLINE)));
    assertFalse(held.holds(7));
  }

  @Test
  void shouldKeepReadersAndWritersFromWhatIsWrittenByRdma() {
    held.hold(op(DaemonOp.WRITE, Band.SERVER, true, 0, 100));
    for (Band band : Band.values()) {
      assertTrue(held.delays(write(band)), band::toString);
      assertTrue(held.delays(read(band)), band::toString);
      assertFalse(held.delays(op(DaemonOp.READ, band, false, 50, 100)), "it has no checksum");
    }
  }

  @Test
  void shouldCareForChecksumsOnly() {
    held.hold(op(DaemonOp.READ, Band.SERVER, false, 0, 100));
    assertFalse(held.holds(7));
    held.hold(op(DaemonOp.WRITE, Band.SERVER, false, 0, 100));
    assertTrue(held.holds(7), "its memory is not to be taken");
    assertFalse(held.delays(op(DaemonOp.WRITE, Band.SERVER, false, 50, 100)));
    assertFalse(held.delays(write(Band.INLINE)), "it was looked at before it is copied there");
    assertTrue(held.delays(write(Band.SERVER)));
    assertTrue(held.delays(read(Band.SERVER)));
    held.hold(read(Band.INLINE));
    held.hold(write(Band.INLINE));
    assertFalse(held.delays(write(Band.FAST)), "what was copied is not held");
  }

  @Test
  void shouldLetNobodyKeepThoseWaitingThatWaitAlready() {
    DaemonOperation cut = op(DaemonOp.TRUNCATE, Band.INLINE, false, 0, 0);
    assertTrue(HeldRanges.mustFollow(cut, read(Band.SERVER)));
    assertTrue(HeldRanges.mustFollow(cut, write(Band.SERVER)));
    assertFalse(HeldRanges.mustFollow(cut, write(Band.INLINE)));
    assertFalse(HeldRanges.mustFollow(cut, read(Band.INLINE)));
    assertTrue(HeldRanges.mustFollow(write(Band.INLINE), read(Band.FAST)), "readers would keep a writer out");
    assertTrue(HeldRanges.mustFollow(read(Band.FAST), write(Band.SERVER)), "writers would keep a reader out");
    assertFalse(HeldRanges.mustFollow(read(Band.FAST), read(Band.FAST)));
    assertFalse(HeldRanges.mustFollow(write(Band.INLINE), op(DaemonOp.READ, Band.FAST, true, 150, 10)));
  }
}
