# A job for a scheduler.
variable "image" {
  default = "näh/maschine:1"
}

job "nähen" {
  datacenters = ["dc1"]
  type        = "service"

  # Two machines.
  group "machines" {
    count = 2

    network {
      port "http" {
        to = 8080
      }
    }

    service {
      name = "sewing"
      port = "http"
      check {
        type     = "http"
        path     = "/health"
        interval = "10s"
      }
    }

    // Does the work.
    task "sew" {
      driver = "docker"
      config {
        image = var.image
        ports = ["http"]
      }
      env {
        COLOUR = "rot 🧵"
      }
      template {
        data = <<EOH
{{ key "thread" }}
EOH
        destination = "local/thread.txt"
      }
    }
  }
}

source docker "base" {
  image = "debian"
}

build { sources = ["source.docker.base"] }
