package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Everything in one JVM; requests and replies are writes that Tripwires tell of. */
@Tag("client")
class OneJvmTripwireTest extends NbdClientsContract {
  OneJvmTripwireTest() {
    super(1, "--notification=tripwire");
  }

  @Test
  void shouldHaveBeenToldByTripwires() throws Exception {
    clients().fioVerify(48 << 20, 4096, 16);
    JsonNode pager = get("/weft/pager");
    JsonNode client = pager.findPath("device default");
    assertTrue(client.path("tripwireNotices").asLong() > 1000, client::toString);
    assertTrue(client.path("completionEvents").asLong(1 << 30) < client.path("tripwireNotices").asLong() / 4, client::toString);
    assertTrue(pager.findValues("tripwireNotices").size() == 4, pager::toString);
  }
}
