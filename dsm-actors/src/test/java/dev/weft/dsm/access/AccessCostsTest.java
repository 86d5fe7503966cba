package dev.weft.dsm.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.dsm.wire.ObjectSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who charges is told once for each call that changes rights, and for none that does not. */
class AccessCostsTest {
  private static final int BYTES = 4096;

  private final List<String> told = new ArrayList<>();
  private final CheckedAccess access = new CheckedAccess(new Announcements(1), true, new AccessCosts() {
    @Override
    public void protect(int minipages, long bytes) {
      told.add(minipages + " of " + bytes);
    }
  }, PageTable::new);

  AccessCostsTest() {
    access.add(new ObjectSpec(1, ObjectSpec.Kind.BYTES, "a", 8L * BYTES, BYTES, 0, 0, 1));
  }

  @Test
  void shouldTellOfEachGrantAndOfARevocationOnce() {
    access.grant(0, Rights.WRITE);
    access.tryRevoke(0, Rights.READ);
    access.tryRevoke(0, Rights.READ); // As after a retry: nothing changes any more.
    assertEquals(List.of("1 of 4096", "1 of 4096"), told);
  }

  @Test
  void shouldTellOfAGroupAsOneCall() {
    assertEquals(3, access.tryProtect(new int[] {1, 2, 3}, new byte[] {Rights.READ, Rights.WRITE, Rights.READ}));
    assertEquals(List.of("3 of 4096"), told);
    assertEquals(0, access.tryProtect(new int[0], new byte[0]));
    assertEquals(1, told.size());
  }
}
