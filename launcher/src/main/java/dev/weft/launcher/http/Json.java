package dev.weft.launcher.http;

import akka.actor.typed.ActorRef;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Converts records to JSON. Components keep their order, keys of maps are sorted. At any depth, fields with the name of a secret are left
 * out, so that a section cannot reveal a memory key by mistake.
 */
final class Json {
  private static final Set<String> SECRETS =
      Set.of("key", "keys", "rkey", "lkey", "rkeys", "lkeys", "remotekey", "localkey", "qkey", "secret", "sharedsecret", "password", "token");

  static final ObjectMapper MAPPER = JsonMapper.builder()
      .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
      .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
      .addModule(new SimpleModule("weft")
          .addSerializer(ActorRef.class, new ActorPath())
          .addSerializer(Optional.class, new OptionalValue())
          .addSerializer(Duration.class, ToStringSerializer.instance)
          .addSerializer(Instant.class, ToStringSerializer.instance)
          .addSerializer(Path.class, ToStringSerializer.instance))
      .build();

  private Json() {}

  /** @throws IllegalArgumentException if the value cannot be turned into JSON */
  static JsonNode tree(Object value) {
    JsonNode tree = MAPPER.valueToTree(value);
    removeSecrets(tree);
    return tree;
  }

  static String text(JsonNode tree, boolean pretty) {
    try {
      return pretty ? MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(tree) : MAPPER.writeValueAsString(tree);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a JSON tree cannot be written", e);
    }
  }

  private static void removeSecrets(JsonNode node) {
    if (node instanceof ObjectNode object) {
      for (Iterator<String> names = object.fieldNames(); names.hasNext();) {
        if (isSecret(names.next())) {
          names.remove();
        }
      }
    }
    if (node instanceof ObjectNode || node instanceof ArrayNode) {
      node.forEach(Json::removeSecrets);
    }
  }

  private static boolean isSecret(String name) {
    return SECRETS.contains(name.toLowerCase(Locale.ROOT).replace("_", "").replace("-", ""));
  }

  /** Writes an actor as its path. */
  @SuppressWarnings("rawtypes")
  private static final class ActorPath extends JsonSerializer<ActorRef> {
    @Override
    public void serialize(ActorRef actor, JsonGenerator out, SerializerProvider provider) throws IOException {
      out.writeString(actor.path().toStringWithoutAddress());
    }
  }

  /** Writes the value, or null. */
  @SuppressWarnings("rawtypes")
  private static final class OptionalValue extends JsonSerializer<Optional> {
    @Override
    public void serialize(Optional value, JsonGenerator out, SerializerProvider provider) throws IOException {
      Optional<?> optional = value;
      provider.defaultSerializeValue(optional.orElse(null), out);
    }
  }
}
