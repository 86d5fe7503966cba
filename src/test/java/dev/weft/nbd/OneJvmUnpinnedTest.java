package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Everything in one JVM; the servers lend virtual memory of which a quarter is in memory, and the client's pool is not pinned. */
@Tag("client")
class OneJvmUnpinnedTest extends NbdClientsContract {
  OneJvmUnpinnedTest() {
    super(1, "--registration=unpinned", "--resident=8M");
  }

  @Test
  void shouldHaveMovedPagesInAndOut() throws Exception {
    clients().fioVerify(48 << 20, 131072, 8);
    JsonNode memory = get("/weft/netvm").findPath("memory-1").path("memory").path("memory");
    assertTrue(memory.path("pageOuts").asLong() > 0 && memory.path("pageIns").asLong() > 0, memory::toString);
    assertTrue(memory.path("failures").asLong(-1) == 0, memory::toString);
  }
}
