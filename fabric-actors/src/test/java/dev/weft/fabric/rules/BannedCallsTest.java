package dev.weft.fabric.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Timeout(240)
class BannedCallsTest {
  /** One of each kind, each of which must be found. */
  @SuppressWarnings("unused")
  private static final class Offender {
    static void offend(List<Integer> list) throws Exception {
      LongSupplier reference = System::nanoTime;
      Thread.sleep(Math.round(Math.random()));
      ThreadLocalRandom.current().nextInt();
      UUID.randomUUID();
      list.parallelStream().count();
      CompletableFuture.runAsync(() -> System.currentTimeMillis());
      new Random().nextInt();
      Thread.ofVirtual();
    }
  }

  @Test
  void shouldFindNoBannedCallInTheFabric() {
    assertEquals(List.of(), BannedCalls.violations(BannedCalls.FABRIC_EXEMPT, "dev.weft.fabric"));
  }

  @Test
  void shouldFindEachKindOfBannedCall() {
    String found = String.join("\n", BannedCalls.violationsIn(new ClassFileImporter().importClasses(Offender.class), Set.of()));
    for (String call :
        List.of("nanoTime", "sleep", "Math.random", "ThreadLocalRandom.current", "randomUUID", "parallelStream", "runAsync",
            "currentTimeMillis", "java.util.Random.<init>", "ofVirtual")) {
      assertTrue(found.contains(call), call + " was not found in\n" + found);
    }
  }

  @Test
  void shouldStillNeedEachExemption() {
    List<String> all = BannedCalls.violations(Set.of(), "dev.weft.fabric");
    for (String exempt : BannedCalls.FABRIC_EXEMPT) {
      assertTrue(
          all.stream().anyMatch(line -> line.contains(exempt)),
          exempt + " needs no exemption any more");
    }
  }
}
