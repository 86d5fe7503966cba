package dev.weft.pvfs.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.weft.service.StatusTable;
import dev.weft.service.terminal.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What {@code weft pvfs top} sees from outside the fabric: which parts answer, their space, and clients of this host. Only the inspection of the
 * fabric's JVMs has the counters of daemons and manager.
 *
 * @param parts as in {@link Probes#ask}
 * @param clients by name, as in {@link ClientSocket}
 */
record OutsideLook(long atNs, JsonNode parts, Map<String, JsonNode> clients) {
  static final String MISSING = "Over TCP the activity of daemons and manager is not visible; run 'weft pvfs top' on the host of the fabric.";

  /** Returns the difference to an earlier look, for {@code --json} and for people. */
  Map<String, Object> since(OutsideLook before) {
    Map<String, Object> of = ofClients().since(before.ofClients());
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("seconds", of.get("seconds"));
    json.put("parts", parts);
    json.put("clients", of.get("clients"));
    return json;
  }

  private TopLook ofClients() {
    return new TopLook(atNs, Map.of(), MissingNode.getInstance(), clients);
  }

  /** Returns the result of {@link #since} as text. */
  static List<String> text(Map<String, Object> look) {
    JsonNode json = new ObjectMapper().valueToTree(look);
    TextTable table = new TextTable("NODE", "ROLE", ">ANSWERS IN", ">TOTAL", ">FREE", "");
    for (JsonNode part : json.path("parts")) {
      boolean isReached = part.path("reached").asBoolean();
      boolean hasRoom = part.has("totalBytes");
      table.row(part.path("node").asText(), part.path("role").asText(),
          isReached ? String.format(Locale.ROOT, "%.0f us", part.path("medianUs").asDouble()) : "-",
          hasRoom ? StatusTable.bytes(part.path("totalBytes").asLong()) : "-", hasRoom ? StatusTable.bytes(part.path("freeBytes").asLong()) : "-",
          isReached ? "" : "not reached: " + part.path("why").asText());
    }
    List<String> lines = new ArrayList<>(table.lines());
    TopText.clients(json.path("clients"), lines);
    lines.add("");
    lines.add(MISSING);
    return lines;
  }
}
