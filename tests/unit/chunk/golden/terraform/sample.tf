# Infrastructure of a small shop.
terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
  backend "s3" {
    bucket = "state"
  }
}

provider "aws" {
  region = var.region
}

# Where it runs.
variable "region" {
  type        = string
  default     = "eu-central-1"
  description = "Region für alles"
}

locals {
  name = "lädchen-${var.region}"
  tags = {
    owner = "team"
  }
}

data "aws_ami" "linux" {
  most_recent = true
  filter {
    name   = "name"
    values = ["al2023-*"]
  }
}

/* The machine.
   There is one. */
resource "aws_instance" "web" {
  ami           = data.aws_ami.linux.id
  instance_type = "t3.micro"
  user_data     = <<-EOT
    #!/bin/sh
    echo "🎉"
  EOT

  lifecycle {
    create_before_destroy = true
  }

  dynamic "ebs_block_device" {
    for_each = var.disks
    content {
      device_name = ebs_block_device.value
    }
  }
}

module "network" {
  source = "./network"
}

// Its address.
output "address" {
  value = aws_instance.web.public_ip
}

moved {
  from = aws_instance.old
  to   = aws_instance.web
}
